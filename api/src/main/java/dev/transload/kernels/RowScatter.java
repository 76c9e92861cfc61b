/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * What a {@link RowKernels#scatterRows} call copies: one row of each plane for each row of a {@link RowTable}, to all
 * of its entries. The planes are the rows themselves and, if there are any, their scales, which lie elsewhere and have
 * a length of their own. Mutable, so that a role keeps one and allocates nothing; the kernels copy it on submission.
 * Row r of a region begins at byte {@code base + r·stride} of it.
 */
public final class RowScatter
{
    private final MemoryRegion[] targets;
    private final long[] targetBases;
    private final long[] targetStrides;
    private final MemoryRegion[] scalesTargets;
    private final long[] scalesBases;
    private final long[] scalesStrides;
    private MemoryRegion source;
    private long sourceBase;
    private long sourceStride;
    private int rowBytes;
    private MemoryRegion scales;
    private long scalesBase;
    private long scalesStride;
    private int scalesBytes;
    private boolean isFinal;

    /**
     * Of no bytes yet.
     *
     * @param targetRegions most regions, in [1, {@link RowTable#MAX_REGIONS}].
     */
    public RowScatter(final int targetRegions)
    {
        if (targetRegions < 1 || targetRegions > RowTable.MAX_REGIONS)
        {
            throw new IllegalArgumentException("targetRegions = " + targetRegions + " is not allowed: must be in [1, " +
                RowTable.MAX_REGIONS + "]");
        }

        this.targets = new MemoryRegion[targetRegions];
        this.targetBases = new long[targetRegions];
        this.targetStrides = new long[targetRegions];
        this.scalesTargets = new MemoryRegion[targetRegions];
        this.scalesBases = new long[targetRegions];
        this.scalesStrides = new long[targetRegions];
    }

    /**
     * Where the rows are.
     *
     * @param region of the kernels' kind, or HOST memory which their device reads.
     * @param base   byte of the region where row 0 begins.
     * @param stride bytes from a row to the next.
     * @param bytes  of a row; 0 for none.
     * @return this.
     */
    public RowScatter source(final MemoryRegion region, final long base, final long stride, final int bytes)
    {
        source = region;
        sourceBase = base;
        sourceStride = stride;
        rowBytes = bytes;
        return this;
    }

    /**
     * Where some of the rows go.
     *
     * @param index  of the region, as entries of the table name it, in [0, {@link #targetRegions()}).
     * @param region of the kernels' kind, or HOST memory which their device writes; null where no entry names it.
     * @param base   byte of the region where row 0 begins.
     * @param stride bytes from a row to the next.
     * @return this.
     */
    public RowScatter target(final int index, final MemoryRegion region, final long base, final long stride)
    {
        targets[index] = region;
        targetBases[index] = base;
        targetStrides[index] = stride;
        return this;
    }

    /**
     * Where the rows' scales are.
     *
     * @param region as that of the rows; null where there are none.
     * @param base   byte of the region where row 0 begins.
     * @param stride bytes from a row to the next.
     * @param bytes  of a row of scales; 0 for none.
     * @return this.
     */
    public RowScatter scales(final MemoryRegion region, final long base, final long stride, final int bytes)
    {
        scales = region;
        scalesBase = base;
        scalesStride = stride;
        scalesBytes = bytes;
        return this;
    }

    /**
     * Where some of the scales go: those of the rows that go to the target of the same index.
     *
     * @param index  of the region, as entries of the table name it, in [0, {@link #targetRegions()}).
     * @param region as that of the rows; null where no entry names it.
     * @param base   byte of the region where row 0 begins.
     * @param stride bytes from a row to the next.
     * @return this.
     */
    public RowScatter scalesTarget(final int index, final MemoryRegion region, final long base, final long stride)
    {
        scalesTargets[index] = region;
        scalesBases[index] = base;
        scalesStrides[index] = stride;
        return this;
    }

    /**
     * Say that nobody will read the rows soon where they go, as {@code RowList.finalPlaces} says it.
     *
     * @param isLast true where they stay.
     * @return this.
     */
    public RowScatter finalPlaces(final boolean isLast)
    {
        isFinal = isLast;
        return this;
    }

    /**
     * Become a copy of another scatter; target regions that it does not have are not set.
     *
     * @param other with at most as many target regions.
     * @return this.
     */
    public RowScatter set(final RowScatter other)
    {
        for (int i = 0; i < targets.length; i++)
        {
            final boolean isGiven = i < other.targets.length;
            target(i, isGiven ? other.targets[i] : null, isGiven ? other.targetBases[i] : 0,
                isGiven ? other.targetStrides[i] : 0);
            scalesTarget(i, isGiven ? other.scalesTargets[i] : null, isGiven ? other.scalesBases[i] : 0,
                isGiven ? other.scalesStrides[i] : 0);
        }

        return source(other.source, other.sourceBase, other.sourceStride, other.rowBytes)
            .scales(other.scales, other.scalesBase, other.scalesStride, other.scalesBytes)
            .finalPlaces(other.isFinal);
    }

    /**
     * Refuse lengths and rows that no kernels may be asked for; for kernels. Takes as long as the table has regions,
     * not as it has rows.
     *
     * @param table that says what is copied.
     * @param from  first row.
     * @param count of rows.
     * @throws IllegalArgumentException  for a row length, a range or a region that is not allowed.
     * @throws IndexOutOfBoundsException where a row of the table lies outside of its region.
     */
    public void check(final RowTable table, final int from, final int count)
    {
        if ((rowBytes | scalesBytes) < 0)
        {
            throw new IllegalArgumentException("rows of " + rowBytes + " bytes and scales of " + scalesBytes +
                ": must not be negative");
        }

        RowBounds.range(table, from, count);
        if (count > 0 && rowBytes > 0)
        {
            RowBounds.rows("source", source, sourceBase, sourceStride, table.greatestRow(), rowBytes);
            checkTargets("target", table, targets, targetBases, targetStrides, rowBytes);
        }

        if (count > 0 && scalesBytes > 0)
        {
            RowBounds.rows("scales", scales, scalesBase, scalesStride, table.greatestRow(), scalesBytes);
            checkTargets("scales target", table, scalesTargets, scalesBases, scalesStrides, scalesBytes);
        }
    }

    private static void checkTargets(
        final String name, final RowTable table, final MemoryRegion[] regions, final long[] bases,
        final long[] strides, final int bytes)
    {
        for (int i = 0; i < table.regions(); i++)
        {
            if (table.greatestRow(i) >= 0)
            {
                if (i >= regions.length || null == regions[i])
                {
                    throw RowBounds.unset(name, i, regions.length);
                }

                RowBounds.rows(name, regions[i], bases[i], strides[i], table.greatestRow(i), bytes);
            }
        }
    }

    /**
     * Most target regions.
     *
     * @return count, positive.
     */
    public int targetRegions()
    {
        return targets.length;
    }

    /**
     * Region of the rows.
     *
     * @return region.
     */
    public MemoryRegion source()
    {
        return source;
    }

    /**
     * Where the rows begin.
     *
     * @return byte of row 0.
     */
    public long sourceBase()
    {
        return sourceBase;
    }

    /**
     * Distance of the rows.
     *
     * @return bytes from a row to the next.
     */
    public long sourceStride()
    {
        return sourceStride;
    }

    /**
     * Length of a row.
     *
     * @return bytes, 0 where no rows are copied.
     */
    public int rowBytes()
    {
        return rowBytes;
    }

    /**
     * A target region of rows.
     *
     * @param index of the region.
     * @return region, null where none was set.
     */
    public MemoryRegion target(final int index)
    {
        return targets[index];
    }

    /**
     * Where rows begin in a target region.
     *
     * @param index of the region.
     * @return byte of row 0.
     */
    public long targetBase(final int index)
    {
        return targetBases[index];
    }

    /**
     * Distance of rows in a target region.
     *
     * @param index of the region.
     * @return bytes from a row to the next.
     */
    public long targetStride(final int index)
    {
        return targetStrides[index];
    }

    /**
     * Region of the scales.
     *
     * @return region, null where there are none.
     */
    public MemoryRegion scales()
    {
        return scales;
    }

    /**
     * Where the scales begin.
     *
     * @return byte of row 0.
     */
    public long scalesBase()
    {
        return scalesBase;
    }

    /**
     * Distance of the scales.
     *
     * @return bytes from a row to the next.
     */
    public long scalesStride()
    {
        return scalesStride;
    }

    /**
     * Length of a row of scales.
     *
     * @return bytes, 0 where no scales are copied.
     */
    public int scalesBytes()
    {
        return scalesBytes;
    }

    /**
     * A target region of scales.
     *
     * @param index of the region.
     * @return region, null where none was set.
     */
    public MemoryRegion scalesTarget(final int index)
    {
        return scalesTargets[index];
    }

    /**
     * Where scales begin in a target region.
     *
     * @param index of the region.
     * @return byte of row 0.
     */
    public long scalesTargetBase(final int index)
    {
        return scalesBases[index];
    }

    /**
     * Distance of scales in a target region.
     *
     * @param index of the region.
     * @return bytes from a row to the next.
     */
    public long scalesTargetStride(final int index)
    {
        return scalesStrides[index];
    }

    /**
     * Whether nobody will read the rows soon where they go.
     *
     * @return true for {@link #finalPlaces}.
     */
    public boolean hasFinalPlaces()
    {
        return isFinal;
    }
}
