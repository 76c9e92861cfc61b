/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.wire;

import dev.transload.engine.internal.world.Geometry;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Head of every notify message: which call the sender makes, in which view. Twelve words; all of them must agree
 * between the ranks of a world.
 */
public final class CallHeader
{
    /** Words of a header. */
    public static final int WORDS = 12;

    /** Bytes of a header. */
    public static final int BYTES = WORDS * Integer.BYTES;

    /** What each word says, in order, for messages about a mismatch. */
    private static final String[] NAMES = {
        "epoch", "call number", "kind", "hidden", "K", "dtype", "E", "C", "output layout", "expert alignment",
        "dispatch of the handle", "weights"};

    private static final int CALL_NUMBER_MASK = Integer.MAX_VALUE;

    private final int[] words = new int[WORDS];

    /**
     * Set the own call.
     *
     * @param epoch      of the view in which it is made.
     * @param callNumber of the call.
     * @param kind       ordinal of the kind of call.
     * @param type       ordinal of the data type.
     * @param layout     ordinal of the output layout.
     * @param handleCall call number of the handle's dispatch, 0 for none.
     * @param weights    1 when combine sums weights.
     */
    public void set(
        final Geometry geometry, final int epoch, final long callNumber, final int kind, final int hidden,
        final int topk, final int type, final int experts, final int layout, final int alignment, final long handleCall,
        final int weights)
    {
        words[0] = epoch;
        words[1] = (int)callNumber & CALL_NUMBER_MASK;
        words[2] = kind;
        words[3] = hidden;
        words[4] = topk;
        words[5] = type;
        words[6] = experts;
        words[7] = geometry.channels();
        words[8] = layout;
        words[9] = alignment;
        words[10] = (int)handleCall & CALL_NUMBER_MASK;
        words[11] = weights;
    }

    /**
     * Write the own header.
     *
     * @param index of the message in bytes.
     */
    public void write(final UnsafeBuffer buffer, final int index)
    {
        for (int i = 0; i < WORDS; i++)
        {
            EncodedWord.put(buffer, index + i * Integer.BYTES, words[i]);
        }
    }

    /**
     * Compare a peer's header with the own one.
     *
     * @param index of the message in bytes.
     * @return null if they agree, else what differs, e.g. {@code hidden is 2048 here and 1024 there}.
     */
    public String difference(final UnsafeBuffer buffer, final int index)
    {
        for (int i = 0; i < WORDS; i++)
        {
            final int theirs = EncodedWord.get(buffer, index + i * Integer.BYTES);
            if (words[i] != theirs)
            {
                return NAMES[i] + " is " + describe(i, words[i]) + " here and " + describe(i, theirs) + " there";
            }
        }

        return null;
    }

    private static String describe(final int word, final int value)
    {
        return switch (word)
        {
            case 2 -> name(value, "dispatch", "cached dispatch", "combine");
            case 5 -> name(value, "bf16", "fp8");
            case 8 -> name(value, "rank-major", "expert-major");
            case 11 -> name(value, "absent", "present");
            default -> String.valueOf(value);
        };
    }

    private static String name(final int value, final String... names)
    {
        return value < names.length ? names[value] : String.valueOf(value);
    }
}
