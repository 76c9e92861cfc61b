/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.DataType;
import dev.transload.kernels.Fp8;

/**
 * Layout of the scales of received FP8 rows in {@link LowLatencyOutput#xScales()}. In shapes, L is the number of local
 * experts, R is the number of rows of a local expert, and G = hidden/128 is the number of scales of a row.
 */
public enum ScaleLayout
{
    /** F32 [L·R, G]: the scales of one row are contiguous. */
    ROWS(false, false),
    /** F32 [L·G, R]: for each local expert and group of 128 elements, the scales of all rows are contiguous. */
    COLUMNS(true, false),
    /**
     * I32 [L·R, ⌈G/4⌉]: each scale is stored as an 8-bit exponent with bias 127 (UE8M0). A word holds four
     * exponents, the first one in the lowest bits; unused bits are zero. Scales must be powers of two.
     */
    PACKED_ROWS(false, true),
    /** I32 [L·⌈G/4⌉, R]: packed words in the layout of {@link #COLUMNS}. */
    PACKED_COLUMNS(true, true);

    private static final int SCALES_PER_WORD = 4;

    private final boolean isByColumn;
    private final boolean isPacked;

    ScaleLayout(final boolean isByColumn, final boolean isPacked)
    {
        this.isByColumn = isByColumn;
        this.isPacked = isPacked;
    }

    /**
     * Returns whether the scales of different rows of one expert are contiguous.
     *
     * @return true for {@link #COLUMNS} and {@link #PACKED_COLUMNS}.
     */
    public boolean isByColumn()
    {
        return isByColumn;
    }

    /**
     * Returns whether scales are stored as 8-bit exponents.
     *
     * @return true for UE8M0.
     */
    public boolean isPacked()
    {
        return isPacked;
    }

    /**
     * Returns the element type of the tensor of scales.
     *
     * @return F32, or I32 for packed words.
     */
    public DataType type()
    {
        return isPacked ? DataType.I32 : DataType.F32;
    }

    /**
     * Returns how many elements of the tensor of scales belong to one row.
     *
     * @param hidden number of elements of a row.
     * @return G, or ⌈G/4⌉ if scales are packed.
     */
    public int words(final int hidden)
    {
        final int scales = Fp8.scales(hidden);
        return isPacked ? (scales + SCALES_PER_WORD - 1) / SCALES_PER_WORD : scales;
    }
}
