/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.wire;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/** The K weights of a row, f32 one behind the other, as they lie in rings and tensors; checked once for all of them. */
public final class Weights
{
    private Weights()
    {
    }

    /**
     * Add a row's weights to sums.
     *
     * @param at    the row's first one there, in bytes.
     * @param count of weights, K or 0.
     * @param sums  [K] to which they are added.
     */
    public static void add(final UnsafeBuffer from, final int at, final int count, final float[] sums)
    {
        from.boundsCheck(at, count * Float.BYTES);
        final long address = from.addressOffset() + at;
        for (int k = 0; k < count; k++)
        {
            sums[k] += UnsafeApi.getFloat(address + (long)k * Float.BYTES);
        }
    }

    /**
     * Add a row's weights to sums, by address: the place is known to be within its memory.
     *
     * @param from address of the row's first one.
     * @param sums [K] to which they are added.
     */
    public static void add(final long from, final int count, final float[] sums)
    {
        for (int k = 0; k < count; k++)
        {
            sums[k] += UnsafeApi.getFloat(from + (long)k * Float.BYTES);
        }
    }

    /**
     * Write a row's weights.
     *
     * @param at     place of the row's first one there, in bytes.
     * @param count  of weights, K or 0.
     * @param values [K] to write.
     */
    public static void write(final UnsafeBuffer to, final int at, final int count, final float[] values)
    {
        to.boundsCheck(at, count * Float.BYTES);
        final long address = to.addressOffset() + at;
        for (int k = 0; k < count; k++)
        {
            UnsafeApi.putFloat(address + (long)k * Float.BYTES, values[k]);
        }
    }
}
