/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;

/** Vector kernels that are compiled, hence trusted, one by one; a cast needs several of them together. */
enum VectorForm
{
    /** One BF16 row to BF16, as it is. */
    SUM_OF_ONE("sum of one BF16 row"),

    /** Eight BF16 rows of one window to BF16. */
    SUM_OF_EIGHT("sum of eight BF16 rows"),

    /** Nine to sixteen BF16 rows to BF16. */
    SUM_OF_MORE("sum of more than eight BF16 rows"),

    /** Any other number of BF16 rows of one window to BF16. */
    SUM_OF_WINDOW("sum of BF16 rows of one window"),

    /** The same, of several windows. */
    SUM_OF_WINDOWS("sum of BF16 rows of several windows"),

    /** BF16 rows to BF16, the first of which are a part. */
    SUM_AFTER_PART("sum of a part and BF16 rows"),

    /** Sums with F32 rows, or to F32, one element a lane; one form, since neither of its kernels is used often. */
    SUM_OF_LANES("sum from or to F32 rows"),

    /** Casts from BF16 to E4M3. */
    TO_FP8("cast to FP8"),

    /** Casts from E4M3 to BF16. */
    FROM_FP8("cast from FP8");

    /**
     * Source bytes of scalar code after which a form's vectors are compiled: about a call of a large batch, hundredths
     * of a second. Compiling costs some tenths of a second of processor time, on a thread of its own; a process that
     * has summed so much is not one that only looks whether everything works.
     */
    static final long WORTH_BYTES = 1L << 26;

    /** Number of forms. */
    static final int COUNT = values().length;

    private final String description;

    VectorForm(final String description)
    {
        this.description = description;
    }

    /**
     * Form that sums a group.
     *
     * @param sources    summands, BF16 ones first.
     * @param targetType BF16 or F32.
     * @return the one form that the call needs.
     */
    static VectorForm of(final SourceRows sources, final ElementType targetType)
    {
        final int count = sources.count();
        if (ElementType.F32 == targetType || sources.leadingBf16() < count)
        {
            return SUM_OF_LANES;
        }

        if (sources.rounded() > 0)
        {
            return SUM_AFTER_PART;
        }

        if (1 == count && 1.0f == sources.weightOf(0))
        {
            return SUM_OF_ONE;
        }

        if (count > EightRowKernels.ROWS && count <= 2 * EightRowKernels.ROWS)
        {
            return SUM_OF_MORE;
        }

        if (!sources.isInOneWindow())
        {
            return SUM_OF_WINDOWS;
        }

        return EightRowKernels.ROWS == count ? SUM_OF_EIGHT : SUM_OF_WINDOW;
    }

    @Override
    public String toString()
    {
        return description;
    }
}
