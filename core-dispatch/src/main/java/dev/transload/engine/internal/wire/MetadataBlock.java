/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.wire;

import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.View;
import org.agrona.UnsafeApi;

/**
 * Metadata of up to B rows of a stream, in columns. Layout in bytes, {@code n} being the number of prefixes and
 * {@code w} the words of a mask:
 * <pre>
 * tag of the call i64 | rows i32 | first row i32 | rows of the stream i32 | prefixes i32 | K i32 | 1 with weights i32
 * n prefixes (i32, encoded), then at multiples of 8:
 * masks [rows, w] i64 | tokens [rows] i32 | experts [rows, K] i32 | weights [rows, K] f32
 * </pre>
 * A prefix says how many rows of the source come before the block, of all channels: for each rank of the node that the
 * stream goes to, in a call with expert-major output for each of its experts. So any thread can place any block's rows.
 * A view of one block at a time, by address.
 */
public final class MetadataBlock
{
    /** Blocks of a stream that may be on their way. */
    public static final int SLOTS = Geometry.BLOCK_SLOTS;

    private static final int ROWS = 8;
    private static final int FIRST = 12;
    private static final int STREAM_ROWS = 16;
    private static final int PREFIXES = 20;
    private static final int TOPK = 24;
    private static final int WEIGHTED = 28;
    private static final int PREFIXES_AT = 64;

    private final int maskWords;
    private long address;
    private int rows;
    private int first;
    private int prefixes;
    private int topk;
    private boolean isWeighted;

    /**
     * Of masks of a length.
     *
     * @param maskWords 64-bit words of a mask.
     */
    public MetadataBlock(final int maskWords)
    {
        this.maskWords = maskWords;
    }

    /**
     * Room for a block.
     *
     * @return bytes.
     */
    public static long stride(final Geometry geometry)
    {
        final long prefixes = (long)geometry.mostLocals() * Math.max(1, geometry.maxLocalExperts());
        final long row = (long)geometry.maskWords() * Long.BYTES + Integer.BYTES +
            geometry.config().maxTopk() * (long)(Integer.BYTES + Float.BYTES);
        // Columns begin at multiples of 8.
        return Geometry.align(PREFIXES_AT + prefixes * Integer.BYTES + geometry.blockRows() * row + 3L * Long.BYTES,
            Long.SIZE);
    }

    /**
     * Begin to write a block.
     *
     * @param at       address of its first byte.
     * @param tag      of the call, see {@link dev.transload.engine.internal.world.View#tag}.
     * @param firstRow of the block in the stream.
     * @param count    rows, at most B.
     */
    public void begin(
        final long at, final long tag, final int firstRow, final int count, final int streamRows,
        final int prefixWords, final int k, final boolean hasWeights)
    {
        address = at;
        rows = count;
        first = firstRow;
        prefixes = prefixWords;
        topk = k;
        isWeighted = hasWeights;
        UnsafeApi.putLong(at, tag);
        UnsafeApi.putInt(at + ROWS, count);
        UnsafeApi.putInt(at + FIRST, firstRow);
        UnsafeApi.putInt(at + STREAM_ROWS, streamRows);
        UnsafeApi.putInt(at + PREFIXES, prefixWords);
        UnsafeApi.putInt(at + TOPK, k);
        UnsafeApi.putInt(at + WEIGHTED, hasWeights ? 1 : 0);
    }

    /**
     * Look at a block that has come.
     *
     * @param at       address of its first byte.
     * @param firstRow of the stream that it must begin with.
     * @throws IllegalStateException if it is another one although its signal came: a broken fence.
     */
    public void open(final long at, final long tag, final int firstRow)
    {
        address = at;
        rows = UnsafeApi.getInt(at + ROWS);
        first = UnsafeApi.getInt(at + FIRST);
        prefixes = UnsafeApi.getInt(at + PREFIXES);
        topk = UnsafeApi.getInt(at + TOPK);
        isWeighted = 0 != UnsafeApi.getInt(at + WEIGHTED);
        if (UnsafeApi.getLong(at) != tag || first != firstRow)
        {
            throw new IllegalStateException("the metadata block of call " + View.number(tag) + " from row " + firstRow +
                " on was not written though its signal came: the transport's fence does not hold (rule ORD-2)");
        }
    }

    /** Length of the block begun or opened last. */
    public int bytes()
    {
        final long end = isWeighted ? weights() + (long)rows * topk * Float.BYTES : weights();
        return (int)(end - address);
    }

    /**
     * Length of a block that is not written, to plan a world.
     *
     * @param maskWords 64-bit words of a mask.
     */
    public static int bytes(
        final int maskWords, final int rows, final int prefixes, final int topk, final boolean hasWeights)
    {
        final MetadataBlock block = new MetadataBlock(maskWords);
        block.rows = rows;
        block.prefixes = prefixes;
        block.topk = topk;
        block.isWeighted = hasWeights;
        return block.bytes();
    }

    /** Rows of the block. */
    public int rows()
    {
        return rows;
    }

    /** First row of the block in its stream. */
    public int first()
    {
        return first;
    }

    /** Selections of a row. */
    public int topk()
    {
        return topk;
    }

    /**
     * Whether rows have weights.
     *
     * @return false where all weights are 0.
     */
    public boolean isWeighted()
    {
        return isWeighted;
    }

    /**
     * Set a prefix.
     *
     * @param index of the rank, or the expert, within the node.
     * @param value rows before the block.
     */
    public void prefix(final int index, final int value)
    {
        UnsafeApi.putInt(address + PREFIXES_AT + (long)index * Integer.BYTES, -value - 1);
    }

    /**
     * Read a prefix.
     *
     * @param index of the rank, or the expert, within the node.
     * @return rows before the block.
     * @throws IllegalStateException if it was not written.
     */
    public int prefix(final int index)
    {
        final int word = UnsafeApi.getInt(address + PREFIXES_AT + (long)index * Integer.BYTES);
        if (word >= 0 || index >= prefixes)
        {
            throw new IllegalStateException("prefix " + index + " of a metadata block was not written though its " +
                "signal came: the transport's fence does not hold (rule ORD-2)");
        }

        return -(word + 1);
    }

    /**
     * Masks of the local ranks that get the rows.
     *
     * @return address of [rows, words] i64.
     */
    public long masks()
    {
        return address + Geometry.align(PREFIXES_AT + (long)prefixes * Integer.BYTES, Long.BYTES);
    }

    /**
     * Tokens of the source that the rows are.
     *
     * @return address of [rows] i32.
     */
    public long tokens()
    {
        return masks() + (long)rows * maskWords * Long.BYTES;
    }

    /**
     * Selected experts, −1 for none.
     *
     * @return address of [rows, K] i32.
     */
    public long experts()
    {
        return Geometry.align(tokens() + (long)rows * Integer.BYTES, Long.BYTES);
    }

    /**
     * Weights of the selected experts, if there are any.
     *
     * @return address of [rows, K] f32.
     */
    public long weights()
    {
        return Geometry.align(experts() + (long)rows * topk * Integer.BYTES, Long.BYTES);
    }
}
