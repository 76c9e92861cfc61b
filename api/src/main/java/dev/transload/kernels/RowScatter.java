/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * Input of a {@link RowKernels#scatterRows} call. The call copies each row of a {@link RowTable}, and the scales of the
 * row if rows have scales, to all entries of the row. Scales are stored separately from the rows and have their own
 * length. The object is mutable, so that a caller can reuse it without allocation; the kernels copy it on submission.
 * Each region is set with the byte offset of its row 0, {@code base}, and the number of bytes from one row to the next,
 * {@code stride}. Row r begins at byte {@code base + r·stride} of the region.
 */
public final class RowScatter
{
    private final MemoryRegion[] targets;
    private final long[] targetBases;
    private final long[] targetStrides;
    private final MemoryRegion[] scalesTargets;
    private final long[] scalesBases;
    private final long[] scalesStrides;
    private final int[] copies;
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
     * Creates a scatter that copies no bytes yet.
     *
     * @param targetRegions largest number of target regions, in [1, {@link RowTable#MAX_REGIONS}].
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
        this.copies = new int[targetRegions];
    }

    /**
     * Sets the source region of the rows.
     *
     * @param region region of the kernels' memory kind, or HOST region that their device can read.
     * @param base   byte offset of row 0 in the region.
     * @param stride number of bytes from one row to the next.
     * @param bytes  number of bytes of a row; 0 to copy no rows.
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
     * Sets a target region of the rows.
     *
     * @param index  index of the region in the entries of a {@link RowTable}, in [0, {@link #targetRegions()}).
     * @param region region of the kernels' memory kind, or HOST region that their device can write; null if no entry
     *               uses the index.
     * @param base   byte offset of row 0 in the region.
     * @param stride number of bytes from one row to the next.
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
     * Sets the source region of the rows' scales.
     *
     * @param region region of the kernels' memory kind, or HOST region that their device can read; null if there are no
     *               scales.
     * @param base   byte offset of row 0 in the region.
     * @param stride number of bytes from one row to the next.
     * @param bytes  number of bytes of a row of scales; 0 to copy no scales.
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
     * Sets a target region of the scales. If a row is copied to the target region with this index, its scales are
     * copied to this region.
     *
     * @param index  index of the region in the entries of a {@link RowTable}, in [0, {@link #targetRegions()}).
     * @param region region of the kernels' memory kind, or HOST region that their device can write; null if no entry
     *               uses the index.
     * @param base   byte offset of row 0 in the region.
     * @param stride number of bytes from one row to the next.
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
     * Sets a hint that says whether rows are copied to their final places, where no thread reads them soon. For row
     * lists, {@code RowList.finalPlaces} sets the same hint.
     *
     * @param isLast true if the targets are final places.
     * @return this.
     */
    public RowScatter finalPlaces(final boolean isLast)
    {
        isFinal = isLast;
        return this;
    }

    /**
     * Sets a hint that says how many rows are copied to a target region, in proportion to the other regions. A device
     * can use the hint to divide its multiprocessors between regions that it writes at different speeds. A wrong hint
     * can only make the call slower.
     *
     * @param index index of the region in the entries of a {@link RowTable}, in [0, {@link #targetRegions()}).
     * @param rows  number of rows, 0 if it is not known; it may be that of several calls together.
     * @return this.
     * @throws IllegalArgumentException if the number is negative.
     */
    public RowScatter copies(final int index, final int rows)
    {
        if (rows < 0)
        {
            throw new IllegalArgumentException("rows = " + rows + " is not allowed: must not be negative");
        }

        copies[index] = rows;
        return this;
    }

    /**
     * Makes this scatter a copy of another one. Each target region that is not set in the other scatter becomes null.
     *
     * @param other scatter to copy, with at most as many target regions as this one.
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
            copies(i, isGiven ? other.copies[i] : 0);
        }

        return source(other.source, other.sourceBase, other.sourceStride, other.rowBytes)
            .scales(other.scales, other.scalesBase, other.scalesStride, other.scalesBytes)
            .finalPlaces(other.isFinal);
    }

    /**
     * Throws an exception if lengths or rows are not allowed; implementations of kernels call this method. The run time
     * of the check depends on the number of regions of the table, not on its number of rows.
     *
     * @param table table whose rows are to be copied.
     * @param from  index of the first row.
     * @param count number of rows.
     * @throws IllegalArgumentException  if a row length, a range or a region is not allowed.
     * @throws IndexOutOfBoundsException if a row of the table lies outside its region.
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
     * Returns the largest number of target regions.
     *
     * @return number of regions, positive.
     */
    public int targetRegions()
    {
        return targets.length;
    }

    /**
     * Returns the source region of the rows.
     *
     * @return region.
     */
    public MemoryRegion source()
    {
        return source;
    }

    /**
     * Returns where the rows begin in their source region.
     *
     * @return offset of row 0 in bytes.
     */
    public long sourceBase()
    {
        return sourceBase;
    }

    /**
     * Returns the distance between rows in the source region.
     *
     * @return number of bytes from one row to the next.
     */
    public long sourceStride()
    {
        return sourceStride;
    }

    /**
     * Returns the length of a row.
     *
     * @return number of bytes, 0 if no rows are copied.
     */
    public int rowBytes()
    {
        return rowBytes;
    }

    /**
     * Returns a target region of the rows.
     *
     * @param index index of the region.
     * @return region, null if none is set.
     */
    public MemoryRegion target(final int index)
    {
        return targets[index];
    }

    /**
     * Returns where rows begin in a target region.
     *
     * @param index index of the region.
     * @return offset of row 0 in bytes.
     */
    public long targetBase(final int index)
    {
        return targetBases[index];
    }

    /**
     * Returns the distance between rows in a target region.
     *
     * @param index index of the region.
     * @return number of bytes from one row to the next.
     */
    public long targetStride(final int index)
    {
        return targetStrides[index];
    }

    /**
     * Returns the source region of the scales.
     *
     * @return region, null if there are no scales.
     */
    public MemoryRegion scales()
    {
        return scales;
    }

    /**
     * Returns where the scales begin in their source region.
     *
     * @return offset of row 0 in bytes.
     */
    public long scalesBase()
    {
        return scalesBase;
    }

    /**
     * Returns the distance between rows of scales in their source region.
     *
     * @return number of bytes from one row to the next.
     */
    public long scalesStride()
    {
        return scalesStride;
    }

    /**
     * Returns the length of a row of scales.
     *
     * @return number of bytes, 0 if no scales are copied.
     */
    public int scalesBytes()
    {
        return scalesBytes;
    }

    /**
     * Returns a target region of the scales.
     *
     * @param index index of the region.
     * @return region, null if none is set.
     */
    public MemoryRegion scalesTarget(final int index)
    {
        return scalesTargets[index];
    }

    /**
     * Returns where scales begin in a target region.
     *
     * @param index index of the region.
     * @return offset of row 0 in bytes.
     */
    public long scalesTargetBase(final int index)
    {
        return scalesBases[index];
    }

    /**
     * Returns the distance between rows of scales in a target region.
     *
     * @param index index of the region.
     * @return number of bytes from one row to the next.
     */
    public long scalesTargetStride(final int index)
    {
        return scalesStrides[index];
    }

    /**
     * Returns the hint that {@link #copies(int, int)} sets: how many rows are copied to a target region.
     *
     * @param index index of the region.
     * @return number of rows, 0 if it is not known.
     */
    public int copies(final int index)
    {
        return copies[index];
    }

    /**
     * Returns the hint that {@link #finalPlaces} sets: whether rows are copied to their final places.
     *
     * @return true if the targets are final places.
     */
    public boolean hasFinalPlaces()
    {
        return isFinal;
    }
}
