/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * Input of a {@link RowKernels#reduceRows} call: regions, element types and row length. The object is mutable, so that
 * a caller can reuse it without allocation; the kernels copy it on submission. Each region is set with the byte offset
 * of its row 0, {@code base}, and the number of bytes from one row to the next, {@code stride}. Row r begins at byte
 * {@code base + r·stride} of the region.
 * <p>
 * The kernels compute each element of each row of a {@link RowTable} as follows:
 * <ol>
 * <li>The sum begins with {@code acc = +0}.</li>
 * <li>Biases that are set are added: {@code acc += bias0}, then {@code acc += bias1}.</li>
 * <li>Each entry is added, in the order of the table: {@code acc += source}, or
 * {@code acc = fma(weight, source, acc)} if the reduction is weighted.</li>
 * </ol>
 * The result is rounded to the type of the target. All computation is in F32. Rounding to BF16 is to nearest even, and
 * every NaN becomes the canonical NaN 0x7FC0.
 * <p>
 * If a row has parts ({@link RowTable#beginPart()}), each part is summed separately: {@code part = +0}, then the
 * entries are added to {@code part} as they are added to {@code acc} above. The sum of the part is rounded to
 * {@link #partType()}; then {@code acc += part}.
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

    /** Creates a reduction with one source region. */
    public Reduction()
    {
        this(1);
    }

    /**
     * Creates a reduction with several source regions.
     *
     * @param sourceRegions largest number of source regions, in [1, {@link RowTable#MAX_REGIONS}].
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
     * Sets a region that holds summands.
     *
     * @param index  index of the region in the entries of a {@link RowTable}, in [0, {@link #sourceRegions()}).
     * @param region region of the kernels' memory kind, or HOST region that their device can read; null if no entry
     *               uses the index.
     * @param base   byte offset of row 0 in the region.
     * @param stride number of bytes from one row to the next.
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
     * Sets the type to which the sum of a part is rounded before it is added.
     *
     * @param type BF16, or F32 for no rounding. The default is F32.
     * @return this.
     */
    public Reduction partType(final ElementType type)
    {
        this.partType = type;
        return this;
    }

    /**
     * Sets the region for the sums.
     *
     * @param region region of the kernels' memory kind, or HOST region that their device can write.
     * @param base   byte offset of row 0 in the region.
     * @param stride number of bytes from one row to the next.
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
     * Removes the biases, so that sums begin with zero.
     *
     * @return this.
     */
    public Reduction noBiases()
    {
        return biases(null, 0, null, 0, 0);
    }

    /**
     * Sets BF16 biases with which the sums begin. The bias of a row is the row with the same number in the bias region.
     *
     * @param first      region of the first bias; null if there are no biases.
     * @param firstBase  byte offset of row 0 in the first region.
     * @param second     region of the second bias; null if there is no second bias. Without a first bias, there must be
     *                   no second one.
     * @param secondBase byte offset of row 0 in the second region.
     * @param stride     number of bytes from one row to the next in both regions.
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
     * Sets the number of elements of a row.
     *
     * @param elements number of elements, a positive multiple of 8.
     * @return this.
     */
    public Reduction hidden(final int elements)
    {
        this.hidden = elements;
        return this;
    }

    /**
     * Sets whether sources are multiplied by the weights of the table.
     *
     * @param isWeighted true to add each entry with {@code acc = fma(weight, source, acc)}.
     * @return this.
     */
    public Reduction weighted(final boolean isWeighted)
    {
        this.weighted = isWeighted;
        return this;
    }

    /**
     * Makes this reduction a copy of another one. Each source region that is not set in the other reduction becomes
     * null.
     *
     * @param other reduction to copy, with at most as many source regions as this one.
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
     * Throws an exception if types, lengths or rows are not allowed; implementations of kernels call this method. The
     * run time of the check depends on the number of regions of the table, not on its number of rows.
     *
     * @param table table whose entries are to be summed.
     * @param from  index of the first row.
     * @param count number of rows.
     * @throws IllegalArgumentException  if a type, a row length, a range or a region is not allowed.
     * @throws IndexOutOfBoundsException if a row of the table lies outside its region.
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
     * Returns the largest number of source regions.
     *
     * @return number of regions, positive.
     */
    public int sourceRegions()
    {
        return sources.length;
    }

    /**
     * Returns a source region.
     *
     * @param index index of the region.
     * @return region, null if none is set.
     */
    public MemoryRegion source(final int index)
    {
        return sources[index];
    }

    /**
     * Returns where the rows of a source region begin.
     *
     * @param index index of the region.
     * @return offset of row 0 in bytes.
     */
    public long sourceBase(final int index)
    {
        return sourceBases[index];
    }

    /**
     * Returns the distance between rows of a source region.
     *
     * @param index index of the region.
     * @return number of bytes from one row to the next.
     */
    public long sourceStride(final int index)
    {
        return sourceStrides[index];
    }

    /**
     * Returns the element type of a source region.
     *
     * @param index index of the region.
     * @return BF16 or F32, null if the region is not set.
     */
    public ElementType sourceType(final int index)
    {
        return sourceTypes[index];
    }

    /**
     * Returns the type to which the sum of a part is rounded.
     *
     * @return BF16 or F32.
     */
    public ElementType partType()
    {
        return partType;
    }

    /**
     * Returns the region for the sums.
     *
     * @return region.
     */
    public MemoryRegion target()
    {
        return target;
    }

    /**
     * Returns where the sums begin in their region.
     *
     * @return offset of row 0 in bytes.
     */
    public long targetBase()
    {
        return targetBase;
    }

    /**
     * Returns the distance between rows of the sums.
     *
     * @return number of bytes from one row to the next.
     */
    public long targetStride()
    {
        return targetStride;
    }

    /**
     * Returns the element type of the sums.
     *
     * @return BF16 or F32.
     */
    public ElementType targetType()
    {
        return targetType;
    }

    /**
     * Returns the region of the first bias.
     *
     * @return region of BF16 rows, null if there is no first bias.
     */
    public MemoryRegion bias0()
    {
        return bias0;
    }

    /**
     * Returns where the rows of the first bias begin.
     *
     * @return offset of row 0 in bytes.
     */
    public long bias0Base()
    {
        return bias0Base;
    }

    /**
     * Returns the region of the second bias.
     *
     * @return region of BF16 rows, null if there is no second bias.
     */
    public MemoryRegion bias1()
    {
        return bias1;
    }

    /**
     * Returns where the rows of the second bias begin.
     *
     * @return offset of row 0 in bytes.
     */
    public long bias1Base()
    {
        return bias1Base;
    }

    /**
     * Returns the distance between rows of both biases.
     *
     * @return number of bytes from one row to the next.
     */
    public long biasStride()
    {
        return biasStride;
    }

    /**
     * Returns the number of elements of a row.
     *
     * @return number of elements, a positive multiple of 8.
     */
    public int hidden()
    {
        return hidden;
    }

    /**
     * Returns whether sources are multiplied by the weights of the table.
     *
     * @return true if each product of a source and its weight is added with {@code fma}.
     */
    public boolean isWeighted()
    {
        return weighted;
    }
}
