/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.kernels;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;

import java.util.Arrays;

/**
 * Sums by the row kernels of host memory. A block has the summands region by region, since those of one region often
 * touch each other and are then one copy, and behind them the sums. What is host memory is read and written in place.
 */
final class StagedSums implements StagedWork
{
    private static final int MOST_GROUPS = 1024;
    private static final int MOST_SOURCES = 8192;

    private final DeviceWork work;
    private final StagingSlots slots;
    private final RowKernels host;
    private final Moves moves = new Moves();
    private final ReductionList[] lists = new ReductionList[StagingSlots.COUNT];
    private final int[] firsts = new int[StagingSlots.COUNT];
    private final long[] inBytes = new long[StagingSlots.COUNT];

    /** By region, the biases' behind those of the sources: rows in the block, the first one's place, and its move. */
    private int[] counts = new int[0];
    private long[] places = new long[0];
    private int[] entries = new int[0];
    private Reduction staged = new Reduction(1);

    private Reduction reduction;
    private ReductionList groups;
    private int regions;
    private int sources;

    StagedSums(final DeviceWork work, final StagingSlots slots, final RowKernels host)
    {
        this.work = work;
        this.slots = slots;
        this.host = host;
        for (int i = 0; i < lists.length; i++)
        {
            lists[i] = host.allocateReduction(MOST_GROUPS, MOST_SOURCES);
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
            if (places[i] >= 0 && counts[i] > 0)
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
        final ReductionList list = lists[slot];
        final MemoryRegion target = reduction.target();
        stage();
        host.reduceRows(staged, list, 0, list.groups());
        if (!KernelMemory.isDevice(target))
        {
            return;
        }

        final int length = (int)rowBytes(target, reduction.targetType());
        final long behind = StagingSlots.align(inBytes[slot]);
        slots.send(slot, behind, (long)list.groups() * length);
        moves.reserve(list.groups());
        for (int i = 0; i < list.groups(); i++)
        {
            moves.set(i, (long)i * length, groups.targetOffset(firsts[slot] + i));
        }

        work.copyRows(target.address(), slots.scratch(slot) + behind, moves.list(), 0, list.groups(), length);
    }

    private void begin(final KernelOperation operation)
    {
        reduction = operation.reduction;
        groups = operation.list;
        regions = reduction.sourceRegions();
        if (counts.length < regions + 2)
        {
            counts = new int[regions + 2];
            places = new long[regions + 2];
            entries = new int[regions + 2];
        }
    }

    /** As many groups as a block holds, one at least; counts the rows of each region in them. */
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
            final int more = groups.sourceCount(group);
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
        final int first = groups.firstSource(group);
        for (int i = first; i < first + groups.sourceCount(group); i++)
        {
            counts[groups.sourceRegion(i)]++;
        }

        counts[regions]++;
        counts[regions + 1]++;
    }

    /** Where the rows of each region lie in the block, -1 for those that stay where they are. */
    private void place(final int slot)
    {
        long at = 0;
        int entry = 0;
        for (int i = 0; i < regions + 2; i++)
        {
            final boolean isStaged = rowBytes(i) > 0;
            places[i] = isStaged ? at : -1;
            entries[i] = entry;
            at += isStaged ? counts[i] * rowBytes(i) : 0;
            entry += isStaged ? counts[i] : 0;
        }

        inBytes[slot] = at;
        moves.reserve(entry);
    }

    private void list(final int slot, final int next, final int end)
    {
        if (lists[slot].sourceCapacity() < sources)
        {
            lists[slot] = host.allocateReduction(MOST_GROUPS, sources);
        }

        final ReductionList list = lists[slot].clear();
        final boolean isTargetStaged = KernelMemory.isDevice(reduction.target());
        final long behind = slots.offset(slot) + StagingSlots.align(inBytes[slot]);
        final long length = rowBytes(reduction.target(), reduction.targetType());
        for (int group = next; group < end; group++)
        {
            list.beginGroup(isTargetStaged ? behind + (group - next) * length : groups.targetOffset(group),
                move(slot, regions, groups.bias0Offset(group)), move(slot, regions + 1, groups.bias1Offset(group)));
            final int first = groups.firstSource(group);
            for (int i = first; i < first + groups.sourceCount(group); i++)
            {
                if (groups.beginsPart(i))
                {
                    list.beginPart();
                }

                final int region = groups.sourceRegion(i);
                list.addSource(region, move(slot, region, groups.sourceOffset(i)), groups.weight(i));
            }
        }
    }

    /** A row goes to its place in the block; the offset at which the CPU finds it. */
    private long move(final int slot, final int region, final long offset)
    {
        if (places[region] < 0)
        {
            return offset;
        }

        final long place = places[region];
        moves.set(entries[region], region(region).address() + offset, slots.scratch(slot) + place);
        entries[region]++;
        places[region] = place + rowBytes(region);
        return slots.offset(slot) + place;
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
        return rowBytes(region(index), index < regions ? reduction.sourceType(index) : ElementType.BF16);
    }

    private long rowBytes(final MemoryRegion region, final ElementType type)
    {
        return KernelMemory.isDevice(region) ? (long)reduction.hidden() * type.bytes() : 0;
    }

    private long bytesRead(final int group)
    {
        long bytes = rowBytes(regions) + rowBytes(regions + 1);
        final int first = groups.firstSource(group);
        for (int i = first; i < first + groups.sourceCount(group); i++)
        {
            bytes += rowBytes(groups.sourceRegion(i));
        }

        return bytes;
    }

    /** The same reduction of what is in blocks, where it is not host memory already. */
    private void stage()
    {
        if (staged.sourceRegions() < regions)
        {
            staged = new Reduction(regions);
        }

        for (int i = 0; i < staged.sourceRegions(); i++)
        {
            staged.source(i, i < regions ? staged(reduction.source(i)) : null,
                i < regions ? reduction.sourceType(i) : null);
        }

        staged.target(staged(reduction.target()), reduction.targetType()).partType(reduction.partType())
            .biases(staged(reduction.bias0()), staged(reduction.bias1()))
            .hidden(reduction.hidden()).weighted(reduction.isWeighted());
    }

    private MemoryRegion staged(final MemoryRegion region)
    {
        return KernelMemory.isDevice(region) ? slots.region() : region;
    }
}
