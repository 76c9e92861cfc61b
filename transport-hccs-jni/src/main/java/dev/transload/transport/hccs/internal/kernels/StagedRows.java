/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.kernels.Fp8;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/**
 * Copies, zeroes and casts that the row kernels of host memory do: on rows of the device in a block, on rows of host
 * memory where they are. Of each entry a block has the rows that are read, and behind all of these those written.
 */
final class StagedRows implements StagedWork
{
    private static final int MOST_ENTRIES = 1024;

    private final DeviceWork work;
    private final StagingSlots slots;
    private final RowKernels host;
    private final Moves moves = new Moves();
    private final RowList[] rows = new RowList[StagingSlots.COUNT];
    private final RowList[] scaleRows = new RowList[StagingSlots.COUNT];
    private final int[] firsts = new int[StagingSlots.COUNT];
    private final int[] counts = new int[StagingSlots.COUNT];
    private KernelOperation operation;

    /** Bytes of a row that is read, and of its scales; 0 where none are, or they are read where they are. */
    private long in;
    private long inScales;

    /** Likewise of a row that is written, and of its scales. */
    private long out;
    private long outScales;

    StagedRows(final DeviceWork work, final StagingSlots slots, final RowKernels host)
    {
        this.work = work;
        this.slots = slots;
        this.host = host;
        moves.reserve(MOST_ENTRIES);
        for (int i = 0; i < StagingSlots.COUNT; i++)
        {
            rows[i] = host.allocateRows(MOST_ENTRIES);
            scaleRows[i] = host.allocateRows(MOST_ENTRIES);
        }
    }

    @Override
    public long bytesOfOne(final KernelOperation given, final int entry)
    {
        measure(given);
        return StagingSlots.align(in + inScales) + out + outScales;
    }

    @Override
    public int gather(final KernelOperation given, final int slot, final int next)
    {
        measure(given);
        final long entryBytes = in + inScales + out + outScales;
        final long room = 0 == entryBytes ? MOST_ENTRIES : (slots.bytes() - StagingSlots.align(1)) / entryBytes;
        final int left = given.from + given.count - next;
        final int count = (int)Math.min(Math.max(1, room), Math.min(left, MOST_ENTRIES));
        firsts[slot] = next;
        counts[slot] = count;
        if (in > 0)
        {
            fetch(given.source, given.rows, slot, 0, (int)in);
        }

        if (inScales > 0)
        {
            fetch(given.scales, given.scaleRows, slot, count * in, (int)inScales);
        }

        slots.fetch(slot, count * (in + inScales));
        return next + count;
    }

    @Override
    public void finish(final KernelOperation given, final int slot)
    {
        measure(given);
        final int count = counts[slot];
        final long behind = StagingSlots.align(count * (in + inScales));
        writeLists(slot, count, behind);
        compute(slot, count);
        slots.send(slot, behind, count * (out + outScales));
        if (out > 0)
        {
            scatter(given.target, given.rows, slot, behind, (int)out);
        }

        if (outScales > 0)
        {
            scatter(given.scales, given.scaleRows, slot, behind + count * out, (int)outScales);
        }
    }

    private void measure(final KernelOperation given)
    {
        operation = given;
        final long scale = (long)Fp8.scales(given.hidden) * Float.BYTES;
        final long wide = (long)given.hidden * Short.BYTES;
        final long row = null == given.rows ? 0 : given.rows.rowLength();
        switch (given.kind)
        {
            case QUANTIZE -> measure(wide, 0, given.hidden, scale);
            case DEQUANTIZE -> measure(given.hidden, scale, wide, 0);
            case ZERO -> measure(0, 0, row, 0);
            default -> measure(row, 0, row, 0);
        }
    }

    private void measure(final long read, final long readScales, final long written, final long writtenScales)
    {
        in = KernelMemory.isDevice(operation.source) ? read : 0;
        out = KernelMemory.isDevice(operation.target) ? written : 0;
        final boolean areScalesThere = KernelMemory.isDevice(operation.scales);
        inScales = areScalesThere ? readScales : 0;
        outScales = areScalesThere ? writtenScales : 0;
    }

    private void fetch(
        final MemoryRegion region, final RowList list, final int slot, final long at, final int length)
    {
        final long block = slots.scratch(slot) + at;
        for (int i = 0; i < counts[slot]; i++)
        {
            moves.set(i, list.srcOffset(firsts[slot] + i), (long)i * length);
        }

        work.copyRows(block, region.address(), moves.list(), 0, counts[slot], length);
    }

    private void scatter(
        final MemoryRegion region, final RowList list, final int slot, final long at, final int length)
    {
        final long block = slots.scratch(slot) + at;
        for (int i = 0; i < counts[slot]; i++)
        {
            moves.set(i, (long)i * length, list.dstOffset(firsts[slot] + i));
        }

        work.copyRows(region.address(), block, moves.list(), 0, counts[slot], length);
    }

    /** The lists of the CPU: offsets in the block, or those of the caller where memory is the host's. */
    private void writeLists(final int slot, final int count, final long behind)
    {
        final long base = slots.offset(slot);
        final RowList given = operation.rows;
        final RowList givenScales = operation.scaleRows;
        rows[slot].rowLength(given.rowLength());
        for (int i = 0; i < count; i++)
        {
            final int entry = firsts[slot] + i;
            rows[slot].set(i, 0 == in ? given.srcOffset(entry) : base + i * in,
                0 == out ? given.dstOffset(entry) : base + behind + i * out);
            if (null != givenScales)
            {
                scaleRows[slot].set(i,
                    0 == inScales ? givenScales.srcOffset(entry) : base + count * in + i * inScales,
                    0 == outScales ? givenScales.dstOffset(entry) : base + behind + count * out + i * outScales);
            }
        }
    }

    private void compute(final int slot, final int count)
    {
        final MemoryRegion source = KernelMemory.isDevice(operation.source) ? slots.region() : operation.source;
        final MemoryRegion target = KernelMemory.isDevice(operation.target) ? slots.region() : operation.target;
        final MemoryRegion scales = KernelMemory.isDevice(operation.scales) ? slots.region() : operation.scales;
        switch (operation.kind)
        {
            case QUANTIZE -> host.quantizeRows(source, target, rows[slot], scales, scaleRows[slot], 0, count,
                operation.hidden, operation.format);
            case DEQUANTIZE -> host.dequantizeRows(source, target, rows[slot], scales, scaleRows[slot], 0, count,
                operation.hidden);
            case ZERO -> host.zeroRows(target, rows[slot], 0, count);
            default -> host.copyRows(source, target, rows[slot], 0, count);
        }
    }
}
