/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.mutants;

/** What changed classes call in place of something else, see {@link Edit.Place#by}. */
public final class Wrong
{
    private Wrong()
    {
    }

    /**
     * In place of {@link Long#numberOfTrailingZeros}: the last bit is taken first.
     *
     * @param bits not 0.
     * @return index of the highest one.
     */
    public static int highest(final long bits)
    {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(bits);
    }

    /**
     * In place of {@code bits & bits - 1}: to go with {@link #highest}.
     *
     * @param bits     not 0.
     * @param bitsLess one less, which is not needed.
     * @return bits without the highest one.
     */
    public static long withoutHighest(final long bits, final long bitsLess)
    {
        return bits ^ Long.highestOneBit(bits);
    }
}
