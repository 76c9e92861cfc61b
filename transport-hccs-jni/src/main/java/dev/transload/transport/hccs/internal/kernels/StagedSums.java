/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;

import java.util.Arrays;

/**
 * Sums by the row kernels of host memory. A block has the summands region by region, since those of one region often
 * touch each other and are then one copy, and behind them the sums. What is host memory is read and written in place.
 * Biases are entries here, in two more regions, since they may lie in a block where the sums do not: they come first,
 * and each is a part of its own where there are parts, which gives the same bits.
 */
final class StagedSums implements StagedWork
{
    private static final int MOST_GROUPS = 1024;
    private static final int MOST_SOURCES = 8192;

    private final DeviceWork work;
    private final StagingSlots slots;
    private final RowKernels host;
    private final Moves moves = new Moves();
    private final RowTable[] tables = new RowTable[StagingSlots.COUNT];
    private final int[] firsts = new int[StagingSlots.COUNT];
    private final long[] inBytes = new long[StagingSlots.COUNT];

    /** By block and region: where its rows begin in the block. */
    private final long[][] bases = new long[StagingSlots.COUNT][0];

    /** By region, the biases' behind those of the sources: rows in the block, and the next one's move and number. */
    private int[] counts = new int[0];
    private int[] entries = new int[0];
    private int[] numbers = new int[0];
    private Reduction staged = new Reduction(1);

    private Reduction reduction;
    private RowTable rows;
    private int regions;
    private int sources;

    StagedSums(final DeviceWork work, final StagingSlots slots, final RowKernels host)
    {
        this.work = work;
        this.slots = slots;
        this.host = host;
        for (int i = 0; i < tables.length; i++)
        {
            tables[i] = host.allocateWeightedTable(MOST_GROUPS, MOST_SOURCES + 2 * MOST_GROUPS);
        }
    }

    @Override
    public long bytesOfOne(final KernelOperation operation, final int entry)
    {
        begin(operation);
        return StagingSlots.align(bytesRead(entry)) + rowBytes(reduction.target(), reduction.targetType());
    }

    @Override
    public int gather(final KernelOperation operation, final int slot, final int next)
    {
        begin(operation);
        final int end = choose(next, operation.from + operation.count);
        firsts[slot] = next;
        place(slot);
        list(slot, next, end);
        for (int i = 0; i < regions + 2; i++)
        {
            if (rowBytes(i) > 0 && counts[i] > 0)
            {
                work.copyRows(0, 0, moves.list(), entries[i] - counts[i], counts[i], (int)rowBytes(i));
            }
        }

        slots.fetch(slot, inBytes[slot]);
        return end;
    }

    @Override
    public void finish(final KernelOperation operation, final int slot)
    {
        begin(operation);
        final RowTable table = tables[slot];
        final MemoryRegion target = reduction.target();
        stage(slot);
        host.reduceRows(staged, table, 0, table.rows());
        if (!KernelMemory.isDevice(target))
        {
            return;
        }

        final int length = (int)rowBytes(target, reduction.targetType());
        final long behind = StagingSlots.align(inBytes[slot]);
        slots.send(slot, behind, (long)table.rows() * length);
        moves.reserve(table.rows());
        for (int i = 0; i < table.rows(); i++)
        {
            moves.set(i, (long)i * length,
                reduction.targetBase() + rows.row(firsts[slot] + i) * reduction.targetStride());
        }

        work.copyRows(target.address(), slots.scratch(slot) + behind, moves.list(), 0, table.rows(), length);
    }

    private void begin(final KernelOperation operation)
    {
        reduction = operation.reduction;
        rows = operation.table;
        regions = reduction.sourceRegions();
        if (counts.length < regions + 2)
        {
            counts = new int[regions + 2];
            entries = new int[regions + 2];
            numbers = new int[regions + 2];
        }

        for (int i = 0; i < bases.length; i++)
        {
            bases[i] = bases[i].length < regions + 2 ? Arrays.copyOf(bases[i], regions + 2) : bases[i];
        }
    }

    /** As many rows of the table as a block holds, one at least; counts the rows of each region in them. */
    private int choose(final int next, final int end)
    {
        Arrays.fill(counts, 0, regions + 2, 0);
        sources = 0;
        final long sum = rowBytes(reduction.target(), reduction.targetType());
        long room = slots.bytes() - StagingSlots.align(1);
        int group = next;
        while (group < end && group - next < MOST_GROUPS)
        {
            final long bytes = bytesRead(group) + sum;
            final int more = rows.entryCount(group);
            if (group > next && (bytes > room || sources + more > MOST_SOURCES))
            {
                break;
            }

            room -= bytes;
            sources += more;
            count(group);
            group++;
        }

        return group;
    }

    private void count(final int group)
    {
        for (int i = rows.firstEntry(group); i < rows.firstEntry(group + 1); i++)
        {
            counts[rows.region(i)]++;
        }

        counts[regions]++;
        counts[regions + 1]++;
    }

    /** Where the rows of each region lie in the block, if they do not stay where they are. */
    private void place(final int slot)
    {
        long at = 0;
        int entry = 0;
        for (int i = 0; i < regions + 2; i++)
        {
            final boolean isStaged = rowBytes(i) > 0;
            bases[slot][i] = at;
            entries[i] = entry;
            numbers[i] = 0;
            at += isStaged ? counts[i] * rowBytes(i) : 0;
            entry += isStaged ? counts[i] : 0;
        }

        inBytes[slot] = at;
        moves.reserve(entry);
    }

    private void list(final int slot, final int next, final int end)
    {
        final int biases = (null == reduction.bias0() ? 0 : 1) + (null == reduction.bias1() ? 0 : 1);
        final int most = sources + biases * (end - next);
        if (tables[slot].entryCapacity() < most)
        {
            tables[slot] = host.allocateWeightedTable(MOST_GROUPS, most);
        }

        final RowTable table = tables[slot].clear();
        final boolean isTargetStaged = KernelMemory.isDevice(reduction.target());
        for (int group = next; group < end; group++)
        {
            final int first = rows.firstEntry(group);
            final boolean hasParts = first < rows.firstEntry(group + 1) && rows.beginsPart(first);
            table.beginRow(isTargetStaged ? group - next : rows.row(group));
            for (int bias = regions; bias < regions + biases; bias++)
            {
                add(table, hasParts, bias, move(slot, bias, rows.row(group)), 1.0f);
            }

            for (int i = first; i < rows.firstEntry(group + 1); i++)
            {
                final int region = rows.region(i);
                add(table, rows.beginsPart(i), region, move(slot, region, rows.entryRow(i)), rows.weight(i));
            }
        }
    }

    private static void add(
        final RowTable table, final boolean beginsPart, final int region, final int row, final float weight)
    {
        if (beginsPart)
        {
            table.beginPart();
        }

        table.add(region, row, weight);
    }

    /** A row goes to its place in the block; the number by which the CPU finds it. */
    private int move(final int slot, final int region, final int row)
    {
        if (0 == rowBytes(region))
        {
            return row;
        }

        final int number = numbers[region]++;
        moves.set(entries[region]++, region(region).address() + base(region) + row * stride(region),
            slots.scratch(slot) + bases[slot][region] + number * rowBytes(region));
        return number;
    }

    private long base(final int index)
    {
        if (index < regions)
        {
            return reduction.sourceBase(index);
        }

        return index == regions ? reduction.bias0Base() : reduction.bias1Base();
    }

    private long stride(final int index)
    {
        return index < regions ? reduction.sourceStride(index) : reduction.biasStride();
    }

    private ElementType type(final int index)
    {
        return index < regions ? reduction.sourceType(index) : ElementType.BF16;
    }

    private MemoryRegion region(final int index)
    {
        if (index < regions)
        {
            return reduction.source(index);
        }

        return index == regions ? reduction.bias0() : reduction.bias1();
    }

    /** Bytes that a row of a region takes in a block. */
    private long rowBytes(final int index)
    {
        return rowBytes(region(index), type(index));
    }

    private long rowBytes(final MemoryRegion region, final ElementType type)
    {
        return KernelMemory.isDevice(region) ? (long)reduction.hidden() * type.bytes() : 0;
    }

    private long bytesRead(final int group)
    {
        long bytes = rowBytes(regions) + rowBytes(regions + 1);
        for (int i = rows.firstEntry(group); i < rows.firstEntry(group + 1); i++)
        {
            bytes += rowBytes(rows.region(i));
        }

        return bytes;
    }

    /** The same reduction of what is in a block, where it is not host memory already. */
    private void stage(final int slot)
    {
        if (staged.sourceRegions() < regions + 2)
        {
            staged = new Reduction(regions + 2);
        }

        for (int i = 0; i < staged.sourceRegions(); i++)
        {
            final boolean isGiven = i < regions + 2 && null != region(i);
            final boolean isStaged = isGiven && rowBytes(i) > 0;
            staged.source(i, isStaged ? slots.region() : isGiven ? region(i) : null,
                isStaged ? slots.offset(slot) + bases[slot][i] : isGiven ? base(i) : 0,
                isStaged ? rowBytes(i) : isGiven ? stride(i) : 0, isGiven ? type(i) : null);
        }

        final boolean isTargetStaged = KernelMemory.isDevice(reduction.target());
        staged.target(isTargetStaged ? slots.region() : reduction.target(),
                isTargetStaged ? slots.offset(slot) + StagingSlots.align(inBytes[slot]) : reduction.targetBase(),
                isTargetStaged ? rowBytes(reduction.target(), reduction.targetType()) : reduction.targetStride(),
                reduction.targetType())
            .partType(reduction.partType()).hidden(reduction.hidden()).weighted(reduction.isWeighted());
    }
}
