/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * What a {@link RowKernels#reduceRows} call sums: regions, element types and row length. Mutable, so that a role keeps
 * one and allocates nothing; the kernels copy it on submission.
 * <p>
 * For each group of a {@link ReductionList} and each element: {@code acc = +0}; then {@code acc += bias0},
 * {@code acc += bias1} where set; then for each source in list order {@code acc += source}, or
 * {@code acc = fma(weight, source, acc)} when weighted; the result is rounded to the target's type. All of it is F32,
 * nothing is contracted, BF16 rounds to nearest even with a canonical NaN (0x7FC0).
 * <p>
 * Where a group has parts ({@link ReductionList#beginPart()}), each part is summed so by itself: {@code part = +0},
 * then its sources as above; it is rounded to {@link #partType()}, and {@code acc += part}.
 */
public final class Reduction
{
    private final MemoryRegion[] sources;
    private final ElementType[] sourceTypes;
    private ElementType partType = ElementType.F32;
    private MemoryRegion target;
    private ElementType targetType = ElementType.BF16;
    private MemoryRegion bias0;
    private MemoryRegion bias1;
    private int hidden;
    private boolean weighted;

    /** With summands in one region. */
    public Reduction()
    {
        this(1);
    }

    /**
     * With summands in several regions.
     *
     * @param sourceRegions most regions, in [1, {@link ReductionList#MAX_SOURCE_REGIONS}].
     */
    public Reduction(final int sourceRegions)
    {
        if (sourceRegions < 1 || sourceRegions > ReductionList.MAX_SOURCE_REGIONS)
        {
            throw new IllegalArgumentException("sourceRegions = " + sourceRegions + " is not allowed: must be in [1, " +
                ReductionList.MAX_SOURCE_REGIONS + "]");
        }

        this.sources = new MemoryRegion[sourceRegions];
        this.sourceTypes = new ElementType[sourceRegions];
    }

    /**
     * Where the summands are: region 0 of the list.
     *
     * @param region of the kernels' kind, or HOST memory which their device reads.
     * @param type   BF16 or F32.
     * @return this.
     */
    public Reduction source(final MemoryRegion region, final ElementType type)
    {
        return source(0, region, type);
    }

    /**
     * Where some of the summands are.
     *
     * @param index  of the region, as sources of the list name it, in [0, {@link #sourceRegions()}).
     * @param region of the kernels' kind, or HOST memory which their device reads; null where no source names it.
     * @param type   BF16 or F32.
     * @return this.
     */
    public Reduction source(final int index, final MemoryRegion region, final ElementType type)
    {
        sources[index] = region;
        sourceTypes[index] = type;
        return this;
    }

    /**
     * What the sum of a part is rounded to before it is added.
     *
     * @param type BF16, or F32 for no rounding, which is the default.
     * @return this.
     */
    public Reduction partType(final ElementType type)
    {
        this.partType = type;
        return this;
    }

    /**
     * Where the sums go.
     *
     * @param region of the kernels' kind, or HOST memory which their device writes.
     * @param type   BF16 or F32.
     * @return this.
     */
    public Reduction target(final MemoryRegion region, final ElementType type)
    {
        this.target = region;
        this.targetType = type;
        return this;
    }

    /**
     * BF16 rows to start from.
     *
     * @param first  region or null.
     * @param second region or null; null when first is null.
     * @return this.
     */
    public Reduction biases(final MemoryRegion first, final MemoryRegion second)
    {
        if (null == first && null != second)
        {
            throw new IllegalArgumentException("bias1 is set but bias0 is null: give one bias as bias0");
        }

        this.bias0 = first;
        this.bias1 = second;
        return this;
    }

    /**
     * Elements of a row.
     *
     * @param elements a positive multiple of 8.
     * @return this.
     */
    public Reduction hidden(final int elements)
    {
        this.hidden = elements;
        return this;
    }

    /**
     * Whether sources are multiplied by the weights of the list.
     *
     * @param isWeighted true for {@code fma(weight, source, acc)}.
     * @return this.
     */
    public Reduction weighted(final boolean isWeighted)
    {
        this.weighted = isWeighted;
        return this;
    }

    /**
     * Most regions of summands.
     *
     * @return count, positive.
     */
    public int sourceRegions()
    {
        return sources.length;
    }

    /**
     * A region of summands.
     *
     * @param index of the region.
     * @return region, null where none was set.
     */
    public MemoryRegion source(final int index)
    {
        return sources[index];
    }

    /**
     * Type of the summands of a region.
     *
     * @param index of the region.
     * @return BF16 or F32, null where no region was set.
     */
    public ElementType sourceType(final int index)
    {
        return sourceTypes[index];
    }

    /**
     * What the sum of a part is rounded to.
     *
     * @return BF16 or F32.
     */
    public ElementType partType()
    {
        return partType;
    }

    /**
     * Region of the sums.
     *
     * @return region.
     */
    public MemoryRegion target()
    {
        return target;
    }

    /**
     * Type of the sums.
     *
     * @return BF16 or F32.
     */
    public ElementType targetType()
    {
        return targetType;
    }

    /**
     * First bias.
     *
     * @return region of BF16 rows or null.
     */
    public MemoryRegion bias0()
    {
        return bias0;
    }

    /**
     * Second bias.
     *
     * @return region of BF16 rows or null.
     */
    public MemoryRegion bias1()
    {
        return bias1;
    }

    /**
     * Elements of a row.
     *
     * @return positive multiple of 8.
     */
    public int hidden()
    {
        return hidden;
    }

    /**
     * Whether sources are weighted.
     *
     * @return true for {@code fma}.
     */
    public boolean isWeighted()
    {
        return weighted;
    }
}
