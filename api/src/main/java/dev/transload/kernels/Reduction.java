/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * What a {@link RowKernels#reduceRows} call sums: regions, element types and row length. Mutable, so that a role keeps
 * one and allocates nothing; the kernels copy it on submission. Row r of a region begins at byte
 * {@code base + r·stride} of it.
 * <p>
 * For each row of a {@link RowTable} and each element: {@code acc = +0}; then {@code acc += bias0},
 * {@code acc += bias1} where set; then for each entry in table order {@code acc += source}, or
 * {@code acc = fma(weight, source, acc)} when weighted; the result is rounded to the target's type. All of it is F32,
 * nothing is contracted, BF16 rounds to nearest even with a canonical NaN (0x7FC0).
 * <p>
 * Where a row has parts ({@link RowTable#beginPart()}), each part is summed so by itself: {@code part = +0},
 * then its entries as above; it is rounded to {@link #partType()}, and {@code acc += part}.
 */
public final class Reduction
{
    private static final int MULTIPLE = 8;

    private final MemoryRegion[] sources;
    private final long[] sourceBases;
    private final long[] sourceStrides;
    private final ElementType[] sourceTypes;
    private ElementType partType = ElementType.F32;
    private MemoryRegion target;
    private long targetBase;
    private long targetStride;
    private ElementType targetType = ElementType.BF16;
    private MemoryRegion bias0;
    private long bias0Base;
    private MemoryRegion bias1;
    private long bias1Base;
    private long biasStride;
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
     * @param sourceRegions most regions, in [1, {@link RowTable#MAX_REGIONS}].
     */
    public Reduction(final int sourceRegions)
    {
        if (sourceRegions < 1 || sourceRegions > RowTable.MAX_REGIONS)
        {
            throw new IllegalArgumentException("sourceRegions = " + sourceRegions + " is not allowed: must be in [1, " +
                RowTable.MAX_REGIONS + "]");
        }

        this.sources = new MemoryRegion[sourceRegions];
        this.sourceBases = new long[sourceRegions];
        this.sourceStrides = new long[sourceRegions];
        this.sourceTypes = new ElementType[sourceRegions];
    }

    /**
     * Where some of the summands are.
     *
     * @param index  of the region, as entries of the table name it, in [0, {@link #sourceRegions()}).
     * @param region of the kernels' kind, or HOST memory which their device reads; null where no entry names it.
     * @param base   byte of the region where row 0 begins.
     * @param stride bytes from a row to the next.
     * @param type   BF16 or F32.
     * @return this.
     */
    public Reduction source(
        final int index, final MemoryRegion region, final long base, final long stride, final ElementType type)
    {
        sources[index] = region;
        sourceBases[index] = base;
        sourceStrides[index] = stride;
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
     * @param base   byte of the region where row 0 begins.
     * @param stride bytes from a row to the next.
     * @param type   BF16 or F32.
     * @return this.
     */
    public Reduction target(final MemoryRegion region, final long base, final long stride, final ElementType type)
    {
        this.target = region;
        this.targetBase = base;
        this.targetStride = stride;
        this.targetType = type;
        return this;
    }

    /**
     * Start from zero, not from biases.
     *
     * @return this.
     */
    public Reduction noBiases()
    {
        return biases(null, 0, null, 0, 0);
    }

    /**
     * BF16 rows to start from: of the same number as the row that is summed.
     *
     * @param first      region or null.
     * @param firstBase  byte of the first region where row 0 begins.
     * @param second     region or null; null when first is null.
     * @param secondBase byte of the second region where row 0 begins.
     * @param stride     bytes from a row to the next, in both.
     * @return this.
     */
    public Reduction biases(
        final MemoryRegion first, final long firstBase, final MemoryRegion second, final long secondBase,
        final long stride)
    {
        if (null == first && null != second)
        {
            throw new IllegalArgumentException("bias1 is set but bias0 is null: give one bias as bias0");
        }

        this.bias0 = first;
        this.bias0Base = firstBase;
        this.bias1 = second;
        this.bias1Base = secondBase;
        this.biasStride = stride;
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
     * Whether sources are multiplied by the weights of the table.
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
     * Become a copy of another reduction; source regions that it does not have are not set.
     *
     * @param other with at most as many source regions.
     * @return this.
     */
    public Reduction set(final Reduction other)
    {
        for (int i = 0; i < sources.length; i++)
        {
            final boolean isGiven = i < other.sources.length;
            source(i, isGiven ? other.sources[i] : null, isGiven ? other.sourceBases[i] : 0,
                isGiven ? other.sourceStrides[i] : 0, isGiven ? other.sourceTypes[i] : null);
        }

        return target(other.target, other.targetBase, other.targetStride, other.targetType).partType(other.partType)
            .biases(other.bias0, other.bias0Base, other.bias1, other.bias1Base, other.biasStride)
            .hidden(other.hidden).weighted(other.weighted);
    }

    /**
     * Refuse types, lengths and rows that no kernels may be asked for; for kernels. Takes as long as the table has
     * regions, not as it has rows.
     *
     * @param table that is summed.
     * @param from  first row.
     * @param count of rows.
     * @throws IllegalArgumentException  for a type, a row length, a range or a region that is not allowed.
     * @throws IndexOutOfBoundsException where a row of the table lies outside of its region.
     */
    public void check(final RowTable table, final int from, final int count)
    {
        if (hidden <= 0 || 0 != hidden % MULTIPLE)
        {
            throw new IllegalArgumentException("hidden = " + hidden + ": must be a positive multiple of " + MULTIPLE);
        }

        for (int i = 0; i < sources.length; i++)
        {
            if (null != sources[i])
            {
                summable("sourceType", sourceTypes[i]);
            }
        }

        summable("partType", partType);
        summable("targetType", targetType);
        RowBounds.range(table, from, count);
        if (weighted && !table.isWeighted())
        {
            throw new IllegalArgumentException(
                "table has no weights: must come from allocateWeightedTable for a weighted reduction");
        }

        if (count > 0)
        {
            checkRows(table);
        }
    }

    private void checkRows(final RowTable table)
    {
        RowBounds.rows("target", target, targetBase, targetStride, table.greatestRow(),
            (long)hidden * targetType.bytes());
        final long wide = (long)hidden * ElementType.BF16.bytes();
        if (null != bias0)
        {
            RowBounds.rows("bias0", bias0, bias0Base, biasStride, table.greatestRow(), wide);
        }

        if (null != bias1)
        {
            RowBounds.rows("bias1", bias1, bias1Base, biasStride, table.greatestRow(), wide);
        }

        for (int i = 0; i < table.regions(); i++)
        {
            if (table.greatestRow(i) >= 0)
            {
                if (i >= sources.length || null == sources[i])
                {
                    throw RowBounds.unset("source", i, sources.length);
                }

                RowBounds.rows("source", sources[i], sourceBases[i], sourceStrides[i], table.greatestRow(i),
                    (long)hidden * sourceTypes[i].bytes());
            }
        }
    }

    private static void summable(final String argument, final ElementType type)
    {
        if (ElementType.BF16 != type && ElementType.F32 != type)
        {
            throw new IllegalArgumentException(argument + " = " + type + ": must be BF16 or F32");
        }
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
     * Where a region's rows begin.
     *
     * @param index of the region.
     * @return byte of row 0.
     */
    public long sourceBase(final int index)
    {
        return sourceBases[index];
    }

    /**
     * Distance of a region's rows.
     *
     * @param index of the region.
     * @return bytes from a row to the next.
     */
    public long sourceStride(final int index)
    {
        return sourceStrides[index];
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
     * Where the sums begin.
     *
     * @return byte of row 0.
     */
    public long targetBase()
    {
        return targetBase;
    }

    /**
     * Distance of the sums.
     *
     * @return bytes from a row to the next.
     */
    public long targetStride()
    {
        return targetStride;
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
     * Where the rows of the first bias begin.
     *
     * @return byte of row 0.
     */
    public long bias0Base()
    {
        return bias0Base;
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
     * Where the rows of the second bias begin.
     *
     * @return byte of row 0.
     */
    public long bias1Base()
    {
        return bias1Base;
    }

    /**
     * Distance of the rows of both biases.
     *
     * @return bytes from a row to the next.
     */
    public long biasStride()
    {
        return biasStride;
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
