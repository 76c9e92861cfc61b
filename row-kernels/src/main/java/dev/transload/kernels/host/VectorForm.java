/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

/** Families of vector kernels that are compiled, hence trusted, one by one. */
enum VectorForm
{
    /** Sums of BF16 rows to BF16, two elements a lane. */
    SUM_OF_PAIRS("sum of BF16 rows"),

    /** Sums with F32 rows, or to F32, one element a lane. */
    SUM_OF_LANES("sum from or to F32 rows"),

    /** Casts from BF16 to E4M3. */
    TO_FP8("cast to FP8"),

    /** Casts from E4M3 to BF16. */
    FROM_FP8("cast from FP8");

    /**
     * Source bytes of scalar code after which a form's vectors are compiled: some calls of a large batch, on which it
     * works for a tenth of a second. Compiling costs about a second of processor time, on a thread of its own; a
     * process that has summed so much is not one that only looks whether everything works.
     */
    static final long WORTH_BYTES = 1L << 28;

    /** Number of forms. */
    static final int COUNT = values().length;

    private final String description;

    VectorForm(final String description)
    {
        this.description = description;
    }

    @Override
    public String toString()
    {
        return description;
    }
}
