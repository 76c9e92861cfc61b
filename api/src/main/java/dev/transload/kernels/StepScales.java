/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/** How the scales of the FP8 rows of an output lie. G = hidden/128, R = P·M rows of each of L local experts. */
public enum StepScales
{
    /** F32 [L·R, G]. */
    ROWS,

    /** F32 [L·G, R]. */
    COLUMNS,

    /** I32 [L·R, ⌈G/4⌉]: the exponents of four scales a word, the first one lowest; words are filled up with 0. */
    PACKED_ROWS,

    /** I32 [L·⌈G/4⌉, R]: packed words, laid out as {@link #COLUMNS}. */
    PACKED_COLUMNS;

    private static final int SCALES_PER_WORD = 4;

    /**
     * Whether rows of one expert lie side by side.
     *
     * @return true for columns.
     */
    public boolean isByColumn()
    {
        return COLUMNS == this || PACKED_COLUMNS == this;
    }

    /**
     * Whether scales are exponents of 8 bits.
     *
     * @return true for packed words.
     */
    public boolean isPacked()
    {
        return PACKED_ROWS == this || PACKED_COLUMNS == this;
    }

    /**
     * Words of 32 bits that belong to one row.
     *
     * @param hidden elements of a row.
     * @return G, or ⌈G/4⌉ packed.
     */
    public int words(final int hidden)
    {
        final int scales = Fp8.scales(hidden);
        return isPacked() ? (scales + SCALES_PER_WORD - 1) / SCALES_PER_WORD : scales;
    }
}
