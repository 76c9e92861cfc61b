/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/** Constants of the FP8 E4M3 row format: one F32 scale for each group of consecutive elements. */
public final class Fp8
{
    /** Number of consecutive elements that share one scale. */
    public static final int GROUP = 128;

    /** Largest finite E4M3 value. */
    public static final float MAX = 448.0f;

    /**
     * Lower bound of {@code amax}, the largest absolute value of a group. The bound gives a group of zeros a finite
     * inverse scale.
     */
    public static final float AMAX_FLOOR = 1e-4f;

    private Fp8()
    {
    }

    /**
     * Returns the number of scales of one row.
     *
     * @param hidden number of elements of a row, a multiple of {@link #GROUP}.
     * @return number of F32 scales.
     */
    public static int scales(final int hidden)
    {
        return hidden / GROUP;
    }
}
