/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.DataType;
import dev.transload.kernels.Fp8;

/**
 * How the scales of received FP8 rows lie in {@link LowLatencyOutput#xScales()}. G = hidden/128 is the number of scales
 * of a row, R = P·M the rows of a local expert.
 */
public enum ScaleLayout
{
    /** F32 [L·R, G]: the scales of a row side by side. */
    ROWS(false, false),
    /** F32 [L·G, R]: for each local expert the scales of one group of all its rows side by side. */
    COLUMNS(true, false),
    /**
     * I32 [L·R, ⌈G/4⌉]: of each scale its exponent in 8 bits (UE8M0: the power of two plus 127), four to a word, the
     * first one lowest; words are filled up with zeros. Needs scales that are powers of two.
     */
    PACKED_ROWS(false, true),
    /** I32 [L·⌈G/4⌉, R]: packed words, laid out as {@link #COLUMNS}. */
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
     * Whether rows of one expert lie side by side.
     *
     * @return true for columns.
     */
    public boolean isByColumn()
    {
        return isByColumn;
    }

    /**
     * Whether scales are exponents of 8 bits.
     *
     * @return true for UE8M0.
     */
    public boolean isPacked()
    {
        return isPacked;
    }

    /**
     * Type of the tensor.
     *
     * @return F32, or I32 for packed words.
     */
    public DataType type()
    {
        return isPacked ? DataType.I32 : DataType.F32;
    }

    /**
     * Elements of the tensor that belong to one row.
     *
     * @param hidden elements of a row.
     * @return G, or ⌈G/4⌉ packed.
     */
    public int words(final int hidden)
    {
        final int scales = Fp8.scales(hidden);
        return isPacked ? (scales + SCALES_PER_WORD - 1) / SCALES_PER_WORD : scales;
    }
}
