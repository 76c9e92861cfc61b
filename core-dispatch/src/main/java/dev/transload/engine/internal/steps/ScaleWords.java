/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.Fp8;
import dev.transload.kernels.StepScales;
import org.agrona.UnsafeApi;

/** Writes the scales of a row into an output whose layout is not that of the cast; host memory only. */
final class ScaleWords
{
    private static final int EXPONENT_SHIFT = 23;
    private static final int EXPONENT_MASK = 0xFF;
    private static final int SCALES_PER_WORD = 4;

    private ScaleWords()
    {
    }

    /**
     * Write the scales of one row.
     *
     * @param from       address of F32 scales.
     * @param to         address of the output's scales.
     * @param layout     of these.
     * @param hidden     elements of a row.
     * @param expertRows R.
     * @param place      of the row.
     */
    static void write(
        final long from, final long to, final StepScales layout, final int hidden, final int expertRows,
        final int place)
    {
        final int scales = Fp8.scales(hidden);
        final int words = layout.words(hidden);
        final int local = place / expertRows;
        final int row = place % expertRows;
        for (int word = 0; word < words; word++)
        {
            final long at = layout.isByColumn() ? ((long)local * words + word) * expertRows + row :
                (long)place * words + word;
            UnsafeApi.putInt(to + at * Integer.BYTES, layout.isPacked() ? packed(from, word, scales) :
                UnsafeApi.getInt(from + (long)word * Float.BYTES));
        }
    }

    /** UE8M0: a positive power of two is its exponent alone. */
    private static int packed(final long from, final int word, final int scales)
    {
        int value = 0;
        for (int i = 0; i < SCALES_PER_WORD && word * SCALES_PER_WORD + i < scales; i++)
        {
            final int bits = UnsafeApi.getInt(from + ((long)word * SCALES_PER_WORD + i) * Float.BYTES);
            value |= (bits >>> EXPONENT_SHIFT & EXPONENT_MASK) << i * Byte.SIZE;
        }

        return value;
    }
}
