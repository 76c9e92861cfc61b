/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

/** Families of vector kernels that are compiled, hence trusted, one by one. */
enum VectorForm
{
    /** Sums of BF16 rows to BF16, two elements a lane. */
    SUM_OF_PAIRS("sum of BF16 rows", 1L << 32),

    /** Sums with F32 rows, or to F32, one element a lane. */
    SUM_OF_LANES("sum from or to F32 rows", 1L << 32),

    /** Casts from BF16 to E4M3. */
    TO_FP8("cast to FP8", 1L << 30),

    /** Casts from E4M3 to BF16. */
    FROM_FP8("cast from FP8", 1L << 30);

    /** Number of forms. */
    static final int COUNT = values().length;

    private final String description;
    private final long worthBytes;

    VectorForm(final String description, final long worthBytes)
    {
        this.description = description;
        this.worthBytes = worthBytes;
    }

    /**
     * Source bytes on which scalar code works for about a second, which is what compiling the vectors costs. Where
     * they are compiled after so many, no run takes twice the processor time that it would with hindsight.
     *
     * @return bytes.
     */
    long worthBytes()
    {
        return worthBytes;
    }

    @Override
    public String toString()
    {
        return description;
    }
}
