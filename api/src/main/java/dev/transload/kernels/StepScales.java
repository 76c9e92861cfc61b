/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Layout of the scales of FP8 rows in an output. G = hidden/128 is the number of scales of a row, L is the number of
 * local experts, and R is the number of rows of a local expert (see {@link StepOutput}).
 */
public enum StepScales
{
    /** F32 [L·R, G]: the scales of one row are contiguous. */
    ROWS,

    /** F32 [L·G, R]: for each group, the scales of all rows of an expert are contiguous. */
    COLUMNS,

    /**
     * I32 [L·R, ⌈G/4⌉]: each word holds the exponents of four scales, the first one in the lowest bits. Unused bits are
     * 0.
     */
    PACKED_ROWS,

    /** I32 [L·⌈G/4⌉, R]: the words of {@link #PACKED_ROWS}, arranged as in {@link #COLUMNS}. */
    PACKED_COLUMNS;

    private static final int SCALES_PER_WORD = 4;

    /**
     * Returns whether the scales of different rows of one expert are contiguous.
     *
     * @return true for {@link #COLUMNS} and {@link #PACKED_COLUMNS}.
     */
    public boolean isByColumn()
    {
        return COLUMNS == this || PACKED_COLUMNS == this;
    }

    /**
     * Returns whether scales are stored as 8-bit exponents.
     *
     * @return true for packed words.
     */
    public boolean isPacked()
    {
        return PACKED_ROWS == this || PACKED_COLUMNS == this;
    }

    /**
     * Returns the number of 32-bit words that belong to one row.
     *
     * @param hidden number of elements of a row.
     * @return G, or ⌈G/4⌉ if scales are packed.
     */
    public int words(final int hidden)
    {
        final int scales = Fp8.scales(hidden);
        return isPacked() ? (scales + SCALES_PER_WORD - 1) / SCALES_PER_WORD : scales;
    }
}
