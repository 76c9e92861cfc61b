/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

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
import java.nio.ByteBuffer;
import java.util.Objects;
import org.agrona.BufferUtil;

/**
 * Queue of row operations on host memory. It executes at submission, on the thread that submits: an operation is
 * complete when its position is returned, and there is never back-pressure.
 */
final class HostRowKernels implements RowKernels
{
    private final RowArithmetic arithmetic;
    private final RegionViews views;
    private final GroupSums sums;
    private final ScatteredRows scattered;
    private Thread owner;
    private long position;
    private boolean closed;

    HostRowKernels(final RowArithmetic arithmetic)
    {
        this.arithmetic = arithmetic;
        this.views = new RegionViews(arithmetic::windowOf);
        this.sums = new GroupSums(arithmetic, views);
        this.scattered = new ScatteredRows(arithmetic.isNative());
    }

    @Override
    public MemoryKind kind()
    {
        return MemoryKind.HOST;
    }

    @Override
    public RowList allocateRows(final int capacity)
    {
        return new RowList(ByteBuffer.allocateDirect(Math.multiplyExact(capacity, RowList.STRIDE)), capacity);
    }

    @Override
    public RowTable allocateTable(final int rowCapacity, final int entryCapacity)
    {
        return table(rowCapacity, entryCapacity, false);
    }

    @Override
    public RowTable allocateWeightedTable(final int rowCapacity, final int entryCapacity)
    {
        return table(rowCapacity, entryCapacity, true);
    }

    private static RowTable table(final int rowCapacity, final int entryCapacity, final boolean isWeighted)
    {
        final int bytes = RowTable.bytes(rowCapacity, entryCapacity, isWeighted);

        return new RowTable(
            BufferUtil.allocateDirectAligned(bytes, Long.BYTES), rowCapacity, entryCapacity, isWeighted);
    }

    @Override
    public long copyRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        checkDriver();
        final RegionView source = views.of(src, "src");
        final RegionView target = views.of(dst, "dst");
        RowChecks.copy(source, target, rows, from, count);

        RowMemory.copy(source, target, rows, from, count);

        return ++position;
    }

    @Override
    public long copyRows(final RowCopies copies)
    {
        checkDriver();
        views.reserve(2 * copies.parts());
        for (int i = 0; i < copies.parts(); i++)
        {
            final RegionView source = views.of(copies.src(i), "src");
            final RegionView target = views.of(copies.dst(i), "dst");
            RowChecks.copy(source, target, copies.rows(i), copies.from(i), copies.count(i));
        }

        for (int i = 0; i < copies.parts(); i++)
        {
            final RegionView source = views.of(copies.src(i), "src");
            final RegionView target = views.of(copies.dst(i), "dst");
            RowMemory.copy(source, target, copies.rows(i), copies.from(i), copies.count(i));
        }

        return ++position;
    }

    @Override
    public long zeroRows(final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        checkDriver();
        final RegionView target = views.of(dst, "dst");
        RowChecks.entries("rows", from, count, rows.capacity());
        RowChecks.targets("dst", target, rows, from, count, rows.rowLength());

        RowMemory.clear(target, rows, from, count);

        return ++position;
    }

    @Override
    public long reduceRows(final Reduction reduction, final RowTable table, final int from, final int count)
    {
        checkDriver();
        sums.sum(reduction, table, from, count);

        return ++position;
    }

    @Override
    public long scatterRows(final RowScatter scatter, final RowTable table, final int from, final int count)
    {
        checkDriver();
        scattered.copy(scatter, table, from, count);

        return ++position;
    }

    @Override
    public long quantizeRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final MemoryRegion scales,
        final RowList scaleRows, final int from, final int count, final int hidden, final ScaleFormat format)
    {
        checkDriver();
        Objects.requireNonNull(format, "format");
        RowChecks.castHidden(hidden);
        final RegionView source = views.of(src, "src");
        final RegionView target = views.of(dst, "dst");
        final RegionView scale = views.of(scales, "scales");
        RowChecks.entries("rows", from, count, rows.capacity());
        RowChecks.entries("scaleRows", from, count, scaleRows.capacity());
        RowChecks.sources("src", source, rows, from, count, (long)hidden * Bf16.BYTES);
        RowChecks.targets("dst", target, rows, from, count, hidden);
        RowChecks.targets("scales", scale, scaleRows, from, count, (long)Fp8.scales(hidden) * Float.BYTES);

        for (int i = from; i < from + count; i++)
        {
            final long scaleAddress = scale.addressOf(scaleRows.dstOffset(i));
            arithmetic.quantize(source, rows.srcOffset(i), target, rows.dstOffset(i), scaleAddress, hidden, format);
        }

        return ++position;
    }

    @Override
    public long dequantizeRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final MemoryRegion scales,
        final RowList scaleRows, final int from, final int count, final int hidden)
    {
        checkDriver();
        RowChecks.castHidden(hidden);
        final RegionView source = views.of(src, "src");
        final RegionView target = views.of(dst, "dst");
        final RegionView scale = views.of(scales, "scales");
        RowChecks.entries("rows", from, count, rows.capacity());
        RowChecks.entries("scaleRows", from, count, scaleRows.capacity());
        RowChecks.sources("src", source, rows, from, count, hidden);
        RowChecks.targets("dst", target, rows, from, count, (long)hidden * Bf16.BYTES);
        RowChecks.sources("scales", scale, scaleRows, from, count, (long)Fp8.scales(hidden) * Float.BYTES);

        for (int i = from; i < from + count; i++)
        {
            final long scaleAddress = scale.addressOf(scaleRows.srcOffset(i));
            arithmetic.dequantize(source, rows.srcOffset(i), target, rows.dstOffset(i), scaleAddress, hidden);
        }

        return ++position;
    }

    @Override
    public long waitFor(final ForeignEvent event)
    {
        throw eventless("waitFor", event);
    }

    @Override
    public long record(final ForeignEvent event)
    {
        throw eventless("record", event);
    }

    private static UnsupportedOperationException eventless(final String operation, final ForeignEvent event)
    {
        return new UnsupportedOperationException(operation + "(" + event + "): host memory has no events, since host " +
            "row kernels are done when their call returns; use the kernels of the event's kind");
    }

    @Override
    public long position()
    {
        return position;
    }

    @Override
    public long completedPosition()
    {
        return position;
    }

    @Override
    public int progress()
    {
        checkDriver();

        return 0;
    }

    @Override
    public void close()
    {
        closed = true;
        views.clear();
        sums.clear();
    }

    private void checkDriver()
    {
        final Thread current = Thread.currentThread();

        if (owner != current)
        {
            if (null != owner)
            {
                throw new IllegalStateException("row kernels are driven by thread '" + owner.getName() +
                    "', called on '" + current.getName() + "': must be called by one thread");
            }

            owner = current;
        }

        if (closed)
        {
            throw new IllegalStateException("row kernels are closed: must be open");
        }
    }
}
