/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;

/**
 * Input of a {@link RowKernels#copyRows(RowCopies)} call: a list of parts. Each part copies rows of a row list from a
 * source region to a target region, and has its own row length. The object is mutable, so that a caller can reuse it
 * without allocation. On submission the kernels copy this object, but not the row lists.
 * <p>
 * Parts are copied in any order or in parallel. The target rows of a part must not overlap target or source rows of
 * another part.
 */
public final class RowCopies
{
    /** Largest number of parts. */
    public static final int MAX_PARTS = 16;

    private final MemoryRegion[] sources = new MemoryRegion[MAX_PARTS];
    private final MemoryRegion[] targets = new MemoryRegion[MAX_PARTS];
    private final RowList[] lists = new RowList[MAX_PARTS];
    private final int[] firsts = new int[MAX_PARTS];
    private final int[] counts = new int[MAX_PARTS];
    private int parts;

    /**
     * Removes all parts, with their references to regions and lists.
     *
     * @return this.
     */
    public RowCopies clear()
    {
        Arrays.fill(sources, 0, parts, null);
        Arrays.fill(targets, 0, parts, null);
        Arrays.fill(lists, 0, parts, null);
        parts = 0;
        return this;
    }

    /**
     * Adds a part: rows [from, from + count) of a list.
     *
     * @param src   region that the source offsets of the list refer to.
     * @param dst   region that the target offsets of the list refer to.
     * @param rows  list with offsets and row length in bytes. The kernels that will copy the rows must have allocated
     *              the list.
     * @param from  index of the first row.
     * @param count number of rows, may be 0.
     * @return this.
     * @throws IllegalStateException if there are already {@link #MAX_PARTS} parts.
     */
    public RowCopies add(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        if (MAX_PARTS == parts)
        {
            throw new IllegalStateException("a copy has " + MAX_PARTS + " parts at most, one more was added");
        }

        sources[parts] = src;
        targets[parts] = dst;
        lists[parts] = rows;
        firsts[parts] = from;
        counts[parts] = count;
        parts++;
        return this;
    }

    /**
     * Returns the number of parts.
     *
     * @return number of parts, in [0, {@link #MAX_PARTS}].
     */
    public int parts()
    {
        return parts;
    }

    /**
     * Returns whether a given number of parts can be added.
     *
     * @param more number of parts to add.
     * @return true if this object would then have at most {@link #MAX_PARTS} parts.
     */
    public boolean hasRoom(final int more)
    {
        return parts + more <= MAX_PARTS;
    }

    /**
     * Returns the region of a part's source offsets.
     *
     * @param part index of the part, in [0, {@link #parts()}).
     * @return region.
     */
    public MemoryRegion src(final int part)
    {
        return sources[part];
    }

    /**
     * Returns the region of a part's target offsets.
     *
     * @param part index of the part, in [0, {@link #parts()}).
     * @return region.
     */
    public MemoryRegion dst(final int part)
    {
        return targets[part];
    }

    /**
     * Returns the row list of a part.
     *
     * @param part index of the part, in [0, {@link #parts()}).
     * @return list with offsets and row length.
     */
    public RowList rows(final int part)
    {
        return lists[part];
    }

    /**
     * Returns the index of a part's first row in the row list of the part.
     *
     * @param part index of the part, in [0, {@link #parts()}).
     * @return index.
     */
    public int from(final int part)
    {
        return firsts[part];
    }

    /**
     * Returns the number of rows of a part.
     *
     * @param part index of the part, in [0, {@link #parts()}).
     * @return number of rows.
     */
    public int count(final int part)
    {
        return counts[part];
    }
}
