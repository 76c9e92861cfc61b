/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import java.util.Arrays;
import org.agrona.BufferUtil;

/**
 * Reductions, a row of the table at a time: the row and its summands are a group here. The usual part is summed in
 * registers, before all else. Any other one is summed into a row of scratch, of the type to which it is rounded, and
 * then added as any row is: scratch stays in the nearest cache.
 */
final class GroupSums
{
    private static final int ALIGNMENT = 64;
    private static final int NONE = -1;

    private final RowArithmetic arithmetic;
    private final RegionViews views;
    private final SourceRows group = new SourceRows();
    private final SourceRows part = new SourceRows();
    private RegionView[] sources = new RegionView[1];
    private RegionView[] scratch = new RegionView[1];
    private int scratchRows;
    private RegionView target;
    private RegionView bias0;
    private RegionView bias1;

    /** Without any region. */
    GroupSums(final RowArithmetic arithmetic, final RegionViews views)
    {
        this.arithmetic = arithmetic;
        this.views = views;
    }

    /** Check rows, then sum their entries into them. */
    void sum(final Reduction reduction, final RowTable table, final int from, final int count)
    {
        resolve(reduction);
        reduction.check(table, from, count);
        RowChecks.summedHidden(reduction.hidden());

        arithmetic.begin(target, (long)count * reduction.hidden() * reduction.targetType().bytes());
        try
        {
            for (int i = from; i < from + count; i++)
            {
                gather(reduction, table, i);
                arithmetic.reduce(group, target, reduction.targetBase() + table.row(i) * reduction.targetStride(),
                    reduction.targetType(), reduction.hidden());
            }

            arithmetic.flush();
        }
        finally
        {
            arithmetic.end();
        }
    }

    private void resolve(final Reduction reduction)
    {
        final int regions = reduction.sourceRegions();
        if (sources.length < regions)
        {
            sources = Arrays.copyOf(sources, regions);
            views.reserve(regions);
        }

        for (int i = 0; i < regions; i++)
        {
            sources[i] = null == reduction.source(i) ? null : views.of(reduction.source(i), "source");
        }

        target = views.of(reduction.target(), "target");
        bias0 = null == reduction.bias0() ? null : views.of(reduction.bias0(), "bias0");
        bias1 = null == reduction.bias1() ? null : views.of(reduction.bias1(), "bias1");
    }

    private void gather(final Reduction reduction, final RowTable table, final int index)
    {
        final int first = table.firstEntry(index);
        final int end = table.firstEntry(index + 1);
        final boolean hasParts = first < end && table.beginsPart(first) && !isWholeSum(reduction, table, first, end);

        final int part = hasParts ? partToSumFirst(reduction, table, first, end) : NONE;

        group.begin(!hasParts && reduction.isWeighted());
        if (NONE != part)
        {
            add(group, reduction, table, part, endOfPart(table, part, end));
            group.round();
        }

        if (null != bias0)
        {
            group.addBias(bias0, reduction.bias0Base() + table.row(index) * reduction.biasStride());
        }

        if (null != bias1)
        {
            group.addBias(bias1, reduction.bias1Base() + table.row(index) * reduction.biasStride());
        }

        if (NONE != part)
        {
            add(group, reduction, table, first, part);
            add(group, reduction, table, endOfPart(table, part, end), end);
        }
        else if (hasParts)
        {
            gatherParts(reduction, table, first, end);
        }
        else
        {
            add(group, reduction, table, first, end);
        }
    }

    /**
     * The only part of several rows, in a sum from BF16 to BF16: it may come first if it does so anyhow, or if there is
     * but one other row, since a sum of two is the same either way. A negative zero changes no sum that begins at +0.
     */
    private int partToSumFirst(final Reduction reduction, final RowTable table, final int first, final int end)
    {
        if (reduction.isWeighted() || ElementType.BF16 != reduction.partType() ||
            ElementType.BF16 != reduction.targetType())
        {
            return NONE;
        }

        int part = NONE;
        int before = 0;
        int others = (null == bias0 ? 0 : 1) + (null == bias1 ? 0 : 1);
        for (int from = first, to; from < end; from = to)
        {
            to = endOfPart(table, from, end);
            if (!areBf16(reduction, table, from, to))
            {
                return NONE;
            }

            if (to == from + 1)
            {
                others++;
            }
            else if (NONE == part)
            {
                part = from;
                before = others;
            }
            else
            {
                return NONE;
            }
        }

        return 0 == before || 1 == others ? part : NONE;
    }

    /**
     * Whether one part is all there is, and rounding it once is enough. A part may round to a negative zero, which the
     * sum is not: a weighted one, or one of F32 rows that is smaller than any BF16.
     */
    private boolean isWholeSum(final Reduction reduction, final RowTable table, final int first, final int end)
    {
        final ElementType type = reduction.partType();

        return !reduction.isWeighted() && null == bias0 && null == bias1 && endOfPart(table, first, end) == end &&
            (ElementType.F32 == type || reduction.targetType() == type && areBf16(reduction, table, first, end));
    }

    private static boolean areBf16(
        final Reduction reduction, final RowTable table, final int first, final int end)
    {
        for (int s = first; s < end; s++)
        {
            if (ElementType.BF16 != reduction.sourceType(table.region(s)))
            {
                return false;
            }
        }

        return true;
    }

    private static int endOfPart(final RowTable table, final int first, final int end)
    {
        int at = first + 1;
        while (at < end && !table.beginsPart(at))
        {
            at++;
        }

        return at;
    }

    private void gatherParts(final Reduction reduction, final RowTable table, final int first, final int end)
    {
        final ElementType type = reduction.partType();
        scratchRows = 0;

        for (int from = first; from < end;)
        {
            final int to = endOfPart(table, from, end);

            // One row of that type is its own sum; a negative zero is none, but changes no sum that begins at +0.
            if (to == from + 1 && !reduction.isWeighted() && reduction.sourceType(table.region(from)) == type)
            {
                add(group, reduction, table, from, to);
            }
            else
            {
                part.begin(reduction.isWeighted());
                add(part, reduction, table, from, to);
                final RegionView sum = nextScratch(reduction.hidden() * type.bytes());
                arithmetic.reduce(part, sum, 0, type, reduction.hidden());
                group.addSource(sum, type, 0, 1.0f);
            }

            from = to;
        }
    }

    private void add(
        final SourceRows rows, final Reduction reduction, final RowTable table, final int from, final int to)
    {
        for (int s = from; s < to; s++)
        {
            final int region = table.region(s);
            rows.addSource(sources[region], reduction.sourceType(region),
                reduction.sourceBase(region) + table.entryRow(s) * reduction.sourceStride(region), table.weight(s));
        }
    }

    /** All rows of a reduction's scratch are of one length: none is replaced while a sum that waits has its address. */
    private RegionView nextScratch(final int bytes)
    {
        if (scratchRows == scratch.length)
        {
            scratch = Arrays.copyOf(scratch, 2 * scratchRows);
        }

        if (null == scratch[scratchRows] || scratch[scratchRows].length() < bytes)
        {
            scratch[scratchRows] =
                new RegionView(BufferUtil.allocateDirectAligned(bytes, ALIGNMENT), arithmetic::windowOf);
        }

        return scratch[scratchRows++];
    }

    /** Forget all regions. */
    void clear()
    {
        Arrays.fill(sources, null);
        target = null;
        bias0 = null;
        bias1 = null;
        group.clear();
        part.clear();
    }
}
