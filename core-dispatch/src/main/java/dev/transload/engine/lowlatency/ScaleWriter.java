/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.Fp8;
import org.agrona.concurrent.UnsafeBuffer;

/** Writes scales of received rows in another layout than they came in; host memory only. */
final class ScaleWriter
{
    private static final int EXPONENT_SHIFT = 23;
    private static final int EXPONENT_MASK = 0xFF;
    private static final int SCALES_PER_WORD = 4;

    private final UnsafeBuffer from = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer to = new UnsafeBuffer(0, 0);
    /** Of the scales, which may be more than one buffer spans. */
    private long target;
    private ScaleLayout layout;
    private int scales;
    private int words;
    private int expertRows;

    void begin(final LowLatencyOutput output, final int hidden, final int rowsOfExpert)
    {
        target = output.xScales().memory().address() + output.xScales().offset();
        layout = output.scaleLayout();
        scales = Fp8.scales(hidden);
        words = layout.words(hidden);
        expertRows = rowsOfExpert;
    }

    /** The scales of one row, which lie at an address, for a row of a local expert. */
    void write(final long address, final int localExpert, final int row)
    {
        from.wrap(address, scales * Float.BYTES);
        for (int word = 0; word < words; word++)
        {
            final long place = layout.isByColumn() ? ((long)localExpert * words + word) * expertRows + row :
                ((long)localExpert * expertRows + row) * words + word;
            to.wrap(target + place * Integer.BYTES, Integer.BYTES);
            to.putInt(0, layout.isPacked() ? packed(word) : from.getInt(word * Float.BYTES));
        }
    }

    /** UE8M0: a positive power of two is its exponent alone. */
    private int packed(final int word)
    {
        int value = 0;
        for (int i = 0; i < SCALES_PER_WORD && word * SCALES_PER_WORD + i < scales; i++)
        {
            final int bits = from.getInt((word * SCALES_PER_WORD + i) * Float.BYTES);
            value |= (bits >>> EXPONENT_SHIFT & EXPONENT_MASK) << i * Byte.SIZE;
        }

        return value;
    }
}
