/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;

/**
 * What a {@link RowKernels#copyRows(RowCopies)} call copies: parts, each of which is a range of a list between two
 * regions, with a row length of its own. Mutable, so that a role keeps one and allocates nothing; the kernels copy it
 * on submission, not the lists.
 * <p>
 * Parts are copied in any order, or at once: target rows of one overlap neither target rows nor source rows of another.
 */
public final class RowCopies
{
    /** Most parts. */
    public static final int MAX_PARTS = 16;

    private final MemoryRegion[] sources = new MemoryRegion[MAX_PARTS];
    private final MemoryRegion[] targets = new MemoryRegion[MAX_PARTS];
    private final RowList[] lists = new RowList[MAX_PARTS];
    private final int[] firsts = new int[MAX_PARTS];
    private final int[] counts = new int[MAX_PARTS];
    private int parts;

    /**
     * Remove all parts, and hold on to none of their regions and lists.
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
     * Add a part: rows [from, from + count) of a list.
     *
     * @param src   region of the list's source offsets.
     * @param dst   region of the list's target offsets.
     * @param rows  offsets and row length in bytes, from the kernels that copy.
     * @param from  first row.
     * @param count of rows, may be 0.
     * @return this.
     * @throws IllegalStateException where there are {@link #MAX_PARTS} parts already.
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
     * Parts so far.
     *
     * @return count in [0, {@link #MAX_PARTS}].
     */
    public int parts()
    {
        return parts;
    }

    /**
     * Whether more parts can be added.
     *
     * @param more parts.
     * @return true where there are at most {@link #MAX_PARTS} then.
     */
    public boolean hasRoom(final int more)
    {
        return parts + more <= MAX_PARTS;
    }

    /**
     * Region of a part's source offsets.
     *
     * @param part in [0, {@link #parts()}).
     * @return region.
     */
    public MemoryRegion src(final int part)
    {
        return sources[part];
    }

    /**
     * Region of a part's target offsets.
     *
     * @param part in [0, {@link #parts()}).
     * @return region.
     */
    public MemoryRegion dst(final int part)
    {
        return targets[part];
    }

    /**
     * List of a part.
     *
     * @param part in [0, {@link #parts()}).
     * @return offsets and row length.
     */
    public RowList rows(final int part)
    {
        return lists[part];
    }

    /**
     * First row of a part in its list.
     *
     * @param part in [0, {@link #parts()}).
     * @return index.
     */
    public int from(final int part)
    {
        return firsts[part];
    }

    /**
     * Rows of a part.
     *
     * @param part in [0, {@link #parts()}).
     * @return count.
     */
    public int count(final int part)
    {
        return counts[part];
    }
}
