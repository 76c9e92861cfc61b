/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.transport.base.RequestArguments;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.Leftovers;

import java.util.Objects;

/**
 * Row operations of one NPU, on a stream of their own. It copies and zeroes rows by itself; sums and casts are done by
 * the row kernels of host memory, to which rows come in blocks and from which results go back, so that bits are theirs.
 * Sums of rows of one type may be left to the device, see {@link #AscendRowKernels}. After a failure every call throws.
 */
public final class AscendRowKernels implements RowKernels
{
    private final AclDevice device;
    private final RowKernels host;
    private final KernelMemory memory;
    private final KernelQueue queue;

    /**
     * An empty queue.
     *
     * @param device          that works.
     * @param host            row kernels of host memory, which these close.
     * @param isStrided       whether the device copies by pitches.
     * @param blockBytes      of each of four blocks through which rows come to the CPU.
     * @param isDeviceSumming whether the device sums rows of one type where a probe shows that it adds them right:
     *                        F32 with the same bits, BF16 rounded after each summand.
     * @param timeoutNs       after which stalled work counts as failed.
     */
    public AscendRowKernels(
        final AclDevice device,
        final RowKernels host,
        final boolean isStrided,
        final long blockBytes,
        final boolean isDeviceSumming,
        final long timeoutNs)
    {
        final Leftovers leftovers = new Leftovers();
        final ReduceProbe probe = isDeviceSumming ? ReduceProbe.of(device, leftovers) : ReduceProbe.none();
        this.device = device;
        this.host = host;
        this.memory = new KernelMemory(device);
        this.queue = new KernelQueue(
            new DeviceWork(device, isStrided, leftovers, timeoutNs), blockBytes, host, probe, timeoutNs);
    }

    @Override
    public MemoryKind kind()
    {
        return MemoryKind.ASCEND;
    }

    @Override
    public RowList allocateRows(final int capacity)
    {
        return RequestArguments.rows(capacity);
    }

    @Override
    public RowTable allocateTable(final int rowCapacity, final int entryCapacity)
    {
        return host.allocateTable(rowCapacity, entryCapacity);
    }

    @Override
    public RowTable allocateWeightedTable(final int rowCapacity, final int entryCapacity)
    {
        return host.allocateWeightedTable(rowCapacity, entryCapacity);
    }

    @Override
    public long copyRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        checkCopy(src, dst, rows, from, count);
        return accept(KernelOperation.Kind.COPY, src, dst, rows, from, 0 == rows.rowLength() ? 0 : count);
    }

    @Override
    public long copyRows(final RowCopies copies)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        for (int i = 0; i < copies.parts(); i++)
        {
            checkCopy(copies.src(i), copies.dst(i), copies.rows(i), copies.from(i), copies.count(i));
        }

        queue.next().set(KernelOperation.Kind.NOTHING, 0, 0).parts(copies);
        return queue.accept();
    }

    @Override
    public long zeroRows(final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        memory.check("dst", dst);
        ArgumentChecks.entries("rows", from, count, rows.capacity());
        ArgumentChecks.targets("dst", dst, rows, from, count, rows.rowLength());
        return accept(KernelOperation.Kind.ZERO, null, dst, rows, from, 0 == rows.rowLength() ? 0 : count);
    }

    @Override
    public long reduceRows(final Reduction reduction, final RowTable table, final int from, final int count)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        ArgumentChecks.reduction(reduction, table, from, count, memory);
        if (0 == count)
        {
            queue.next().set(KernelOperation.Kind.NOTHING, from, 0);
            return queue.accept();
        }

        final boolean isOnDevice = queue.deviceSums().canDo(reduction, table);
        queue.next().set(isOnDevice ? KernelOperation.Kind.SUM_ON_DEVICE : KernelOperation.Kind.SUM, from, count)
            .sums(reduction, table);
        return queue.accept();
    }

    /** {@inheritDoc} One list of copies for each target region, and one for its scales. */
    @Override
    public long scatterRows(final RowScatter scatter, final RowTable table, final int from, final int count)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        ArgumentChecks.scatter(scatter, table, from, count, memory);
        queue.next().set(KernelOperation.Kind.NOTHING, from, count).scatters(scatter, table);
        return queue.accept();
    }

    @Override
    public long quantizeRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final MemoryRegion scales,
        final RowList scaleRows, final int from, final int count, final int hidden, final ScaleFormat format)
    {
        Objects.requireNonNull(format, "format");
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        checkCast(src, dst, rows, scales, scaleRows, from, count, hidden);
        ArgumentChecks.sources("src", src, rows, from, count, (long)hidden * Short.BYTES);
        ArgumentChecks.targets("dst", dst, rows, from, count, hidden);
        ArgumentChecks.targets("scales", scales, scaleRows, from, count, scaleBytes(hidden));
        queue.next().cast(scales, scaleRows, hidden, format);
        return accept(KernelOperation.Kind.QUANTIZE, src, dst, rows, from, count);
    }

    @Override
    public long dequantizeRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final MemoryRegion scales,
        final RowList scaleRows, final int from, final int count, final int hidden)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        checkCast(src, dst, rows, scales, scaleRows, from, count, hidden);
        ArgumentChecks.sources("src", src, rows, from, count, hidden);
        ArgumentChecks.targets("dst", dst, rows, from, count, (long)hidden * Short.BYTES);
        ArgumentChecks.sources("scales", scales, scaleRows, from, count, scaleBytes(hidden));
        queue.next().cast(scales, scaleRows, hidden, null);
        return accept(KernelOperation.Kind.DEQUANTIZE, src, dst, rows, from, count);
    }

    /** {@inheritDoc} Its handle is an aclrtEvent of this device, which was recorded before. */
    @Override
    public long waitFor(final ForeignEvent event)
    {
        return pass(KernelOperation.Kind.WAIT, event);
    }

    /** {@inheritDoc} Its handle is an aclrtEvent of this device. */
    @Override
    public long record(final ForeignEvent event)
    {
        return pass(KernelOperation.Kind.RECORD, event);
    }

    @Override
    public long position()
    {
        return queue.position();
    }

    @Override
    public long completedPosition()
    {
        return queue.completed();
    }

    @Override
    public int progress()
    {
        return queue.progress();
    }

    @Override
    public void close()
    {
        queue.close();
        host.close();
    }

    private long accept(
        final KernelOperation.Kind kind,
        final MemoryRegion src,
        final MemoryRegion dst,
        final RowList rows,
        final int from,
        final int count)
    {
        queue.next().set(0 == count ? KernelOperation.Kind.NOTHING : kind, from, count).rows(src, dst, rows);
        return queue.accept();
    }

    private void checkCopy(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        memory.check("src", src);
        memory.check("dst", dst);
        ArgumentChecks.entries("rows", from, count, rows.capacity());
        ArgumentChecks.sources("src", src, rows, from, count, rows.rowLength());
        ArgumentChecks.targets("dst", dst, rows, from, count, rows.rowLength());
    }

    private void checkCast(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final MemoryRegion scales,
        final RowList scaleRows, final int from, final int count, final int hidden)
    {
        ArgumentChecks.castHidden(hidden);
        memory.check("src", src);
        memory.check("dst", dst);
        memory.check("scales", scales);
        ArgumentChecks.entries("rows", from, count, rows.capacity());
        ArgumentChecks.entries("scaleRows", from, count, scaleRows.capacity());
    }

    private static long scaleBytes(final int hidden)
    {
        return (long)Fp8.scales(hidden) * Float.BYTES;
    }

    private long pass(final KernelOperation.Kind kind, final ForeignEvent event)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        if (!MemoryKind.ASCEND.equals(event.kind()) || 0 == event.handle())
        {
            throw new IllegalArgumentException("event is " + event + ": must be an aclrtEvent of kind ASCEND");
        }

        if (device.ordinal() != event.device())
        {
            throw new IllegalArgumentException("event is of device " + event.device() +
                ": these kernels take events of device " + device.ordinal());
        }

        queue.next().set(kind, 0, 0).event = event.handle();
        return queue.accept();
    }
}
