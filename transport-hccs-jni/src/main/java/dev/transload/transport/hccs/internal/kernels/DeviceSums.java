/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;
import dev.transload.transport.hccs.internal.acl.AclStream;

/**
 * Sums by {@code aclrtReduceAsync}, which adds rows to rows in the type that they have: sums of F32 rows have the bits
 * of the host's, sums of BF16 rows are rounded after each summand. In a block each row of the table has one that begins
 * with +0, to which biases and entries are added in their order, so that targets may be among them.
 */
final class DeviceSums implements StagedWork
{
    private static final int MOST_GROUPS = 1024;

    private final DeviceWork work;
    private final StagingSlots slots;
    private final ReduceProbe probe;
    private final Moves moves = new Moves();
    private int pending;

    DeviceSums(final DeviceWork work, final StagingSlots slots, final ReduceProbe probe)
    {
        this.work = work;
        this.slots = slots;
        this.probe = probe;
        moves.reserve(MOST_GROUPS);
    }

    /**
     * Whether the device can do it: rows of its memory, of one type which it adds as the probe has shown, neither
     * weighted nor in parts.
     */
    boolean canDo(final Reduction reduction, final RowTable table)
    {
        final ElementType type = reduction.targetType();
        if (table.hasParts() || !probe.adds(type) || reduction.isWeighted() ||
            !KernelMemory.isDevice(reduction.target()) ||
            !isRight(reduction.bias0(), ElementType.BF16, type) || !isRight(reduction.bias1(), ElementType.BF16, type))
        {
            return false;
        }

        for (int i = 0; i < reduction.sourceRegions(); i++)
        {
            if (!isRight(reduction.source(i), reduction.sourceType(i), type))
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public long bytesOfOne(final KernelOperation operation, final int entry)
    {
        return rowBytes(operation);
    }

    @Override
    public int gather(final KernelOperation operation, final int slot, final int next)
    {
        final long length = rowBytes(operation);
        final int count = (int)Math.min(
            Math.min(operation.from + operation.count - next, MOST_GROUPS), slots.bytes() / length);
        final RowTable table = operation.table;
        final Reduction reduction = operation.reduction;
        work.zero(slots.scratch(slot), count * length);
        for (int bias = 0; bias < 2; bias++)
        {
            final MemoryRegion region = 0 == bias ? reduction.bias0() : reduction.bias1();
            for (int i = 0; i < count && null != region; i++)
            {
                add(operation, slot, i, region, (0 == bias ? reduction.bias0Base() : reduction.bias1Base()) +
                    table.row(next + i) * reduction.biasStride());
            }

            flush(operation);
        }

        addSources(operation, slot, next, count);
        for (int i = 0; i < count; i++)
        {
            moves.set(i, i * length, reduction.targetBase() + table.row(next + i) * reduction.targetStride());
        }

        work.copyRows(
            reduction.target().address(), slots.scratch(slot), moves.list(), 0, count, (int)length);
        return next + count;
    }

    /** {@inheritDoc} The device has done it all. */
    @Override
    public void finish(final KernelOperation operation, final int slot)
    {
        // Nothing is left to do for the CPU.
    }

    /** The first entries of all rows, then the second ones …: those that touch each other are added at once. */
    private void addSources(final KernelOperation operation, final int slot, final int next, final int count)
    {
        final RowTable table = operation.table;
        final Reduction reduction = operation.reduction;
        boolean isMore = true;
        for (int k = 0; isMore; k++)
        {
            isMore = false;
            MemoryRegion before = null;
            for (int i = 0; i < count; i++)
            {
                if (k < table.entryCount(next + i))
                {
                    final int entry = table.firstEntry(next + i) + k;
                    final int index = table.region(entry);
                    final MemoryRegion region = reduction.source(index);
                    if (region != before)
                    {
                        flush(operation);
                    }

                    add(operation, slot, i, region,
                        reduction.sourceBase(index) + table.entryRow(entry) * reduction.sourceStride(index));
                    before = region;
                    isMore = true;
                }
            }

            flush(operation);
        }
    }

    private void add(
        final KernelOperation operation, final int slot, final int group, final MemoryRegion region, final long offset)
    {
        moves.set(pending, region.address() + offset, slots.scratch(slot) + group * rowBytes(operation));
        pending++;
    }

    /** Rows that seem to touch in two allocations are none: what was added so far goes before another region's. */
    private void flush(final KernelOperation operation)
    {
        if (pending > 0)
        {
            work.addRows(ElementType.F32 == operation.reduction.targetType() ? AclStream.FLOAT : AclStream.BF16,
                moves.list(), pending, (int)rowBytes(operation));
            pending = 0;
        }
    }

    private static boolean isRight(final MemoryRegion region, final ElementType given, final ElementType wanted)
    {
        return null == region || given == wanted && KernelMemory.isDevice(region);
    }

    private static long rowBytes(final KernelOperation operation)
    {
        return (long)operation.reduction.hidden() * operation.reduction.targetType().bytes();
    }
}
