/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.wire;

import dev.transload.engine.world.Geometry;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Metadata of one row in a dispatch ring: source rank i32, source token i32, mask of destination local ranks (i64
 * words), K experts i32 (−1 = none), K weights f32. Weights follow the room for the largest K.
 */
public final class RowMeta
{
    /** Place of the source token. */
    public static final int TOKEN_OFFSET = Integer.BYTES;

    private static final int MASK_OFFSET = 2 * Integer.BYTES;
    private static final int ALIGNMENT = 16;

    private final int topkOffset;
    private final int weightsOffset;

    /**
     * For masks and K of an engine.
     *
     * @param maskWords 64-bit words of a mask.
     * @param maxTopk   largest K.
     */
    public RowMeta(final int maskWords, final int maxTopk)
    {
        this.topkOffset = MASK_OFFSET + maskWords * Long.BYTES;
        this.weightsOffset = topkOffset + maxTopk * Integer.BYTES;
    }

    /**
     * Bytes between rows.
     *
     * @param maskWords 64-bit words of a mask.
     * @param maxTopk   largest K.
     * @return bytes.
     */
    public static long stride(final int maskWords, final int maxTopk)
    {
        return Geometry.align(
            MASK_OFFSET + (long)maskWords * Long.BYTES + (long)maxTopk * (Integer.BYTES + Float.BYTES), ALIGNMENT);
    }

    /**
     * Write where a row comes from.
     *
     * @param address of the row in memory.
     * @param rank    source.
     * @param token   index on the source.
     */
    public void source(final long address, final int rank, final int token)
    {
        UnsafeApi.putInt(address, rank);
        UnsafeApi.putInt(address + TOKEN_OFFSET, token);
    }

    /**
     * Source rank.
     *
     * @param buffer of the ring.
     * @param index  of the row in bytes.
     * @return rank.
     */
    public int sourceRank(final UnsafeBuffer buffer, final int index)
    {
        return buffer.getInt(index);
    }

    /**
     * Source token.
     *
     * @param buffer of the ring.
     * @param index  of the row in bytes.
     * @return index on the source.
     */
    public int sourceToken(final UnsafeBuffer buffer, final int index)
    {
        return buffer.getInt(index + TOKEN_OFFSET);
    }

    /**
     * Write a word of the mask.
     *
     * @param address of the row in memory.
     * @param word    index of the word.
     * @param bits    local ranks word·64 …
     */
    public void mask(final long address, final int word, final long bits)
    {
        UnsafeApi.putLong(address + MASK_OFFSET + word * Long.BYTES, bits);
    }

    /**
     * A word of the mask.
     *
     * @param buffer of the ring.
     * @param index  of the row in bytes.
     * @param word   index of the word.
     * @return bits.
     */
    public long mask(final UnsafeBuffer buffer, final int index, final int word)
    {
        return buffer.getLong(index + MASK_OFFSET + word * Long.BYTES);
    }

    /**
     * Place of the selected experts, K i32.
     *
     * @return bytes from the start of the row.
     */
    public int topkOffset()
    {
        return topkOffset;
    }

    /**
     * Place of their weights, K f32.
     *
     * @return bytes from the start of the row.
     */
    public int weightsOffset()
    {
        return weightsOffset;
    }

    /**
     * Place of a word of the mask.
     *
     * @param word index of the word.
     * @return bytes from the start of the row.
     */
    public static int maskOffset(final int word)
    {
        return MASK_OFFSET + word * Long.BYTES;
    }

    /**
     * Selected expert.
     *
     * @param buffer of the ring.
     * @param index  of the row in bytes.
     * @param k      position among the top-k.
     * @return expert or −1.
     */
    public int expert(final UnsafeBuffer buffer, final int index, final int k)
    {
        return buffer.getInt(index + topkOffset + k * Integer.BYTES);
    }

    /**
     * Weight of the selected expert.
     *
     * @param buffer of the ring.
     * @param index  of the row in bytes.
     * @param k      position among the top-k.
     * @return weight.
     */
    public float weight(final UnsafeBuffer buffer, final int index, final int k)
    {
        return buffer.getFloat(index + weightsOffset + k * Float.BYTES);
    }
}
