/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/** Kernels that reach device memory only: other memory is refused, as by an NPU that cannot read the host's. */
final class LoopbackKernels implements RowKernels
{
    private final RowKernels host;
    private static final int MOST_REGIONS = 64;

    private final Reduction reduction = new Reduction(MOST_REGIONS);
    private final RowCopies copies = new RowCopies();
    private final RowScatter scatter = new RowScatter(MOST_REGIONS);

    LoopbackKernels(final RowKernels host)
    {
        this.host = host;
    }

    private static MemoryRegion device(final MemoryRegion region)
    {
        if (null == region)
        {
            return null;
        }

        if (!LoopbackNetwork.DEVICE.equals(region.kind()))
        {
            throw new IllegalArgumentException(
                "a region of " + region.kind() + " memory: must be of " + LoopbackNetwork.DEVICE);
        }

        return ((LoopbackRegion)region).asHost();
    }

    @Override
    public MemoryKind kind()
    {
        return LoopbackNetwork.DEVICE;
    }

    @Override
    public RowList allocateRows(final int capacity)
    {
        return host.allocateRows(capacity);
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
        return host.copyRows(device(src), device(dst), rows, from, count);
    }

    @Override
    public long copyRows(final RowCopies asked)
    {
        copies.clear();
        for (int i = 0; i < asked.parts(); i++)
        {
            copies.add(device(asked.src(i)), device(asked.dst(i)), asked.rows(i), asked.from(i), asked.count(i));
        }

        return host.copyRows(copies);
    }

    @Override
    public long zeroRows(final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        return host.zeroRows(device(dst), rows, from, count);
    }

    @Override
    public long reduceRows(final Reduction asked, final RowTable table, final int from, final int count)
    {
        reduction.set(asked);
        for (int i = 0; i < asked.sourceRegions(); i++)
        {
            reduction.source(i, device(asked.source(i)), asked.sourceBase(i), asked.sourceStride(i),
                asked.sourceType(i));
        }

        reduction.target(device(asked.target()), asked.targetBase(), asked.targetStride(), asked.targetType())
            .biases(device(asked.bias0()), asked.bias0Base(), device(asked.bias1()), asked.bias1Base(),
                asked.biasStride());
        return host.reduceRows(reduction, table, from, count);
    }

    @Override
    public long scatterRows(final RowScatter asked, final RowTable table, final int from, final int count)
    {
        scatter.set(asked);
        for (int i = 0; i < asked.targetRegions(); i++)
        {
            scatter.target(i, device(asked.target(i)), asked.targetBase(i), asked.targetStride(i))
                .scalesTarget(
                    i, device(asked.scalesTarget(i)), asked.scalesTargetBase(i), asked.scalesTargetStride(i));
        }

        scatter.source(device(asked.source()), asked.sourceBase(), asked.sourceStride(), asked.rowBytes())
            .scales(device(asked.scales()), asked.scalesBase(), asked.scalesStride(), asked.scalesBytes());
        return host.scatterRows(scatter, table, from, count);
    }

    @Override
    public long quantizeRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final MemoryRegion scales,
        final RowList scaleRows, final int from, final int count, final int hidden, final ScaleFormat format)
    {
        return host.quantizeRows(
            device(src), device(dst), rows, device(scales), scaleRows, from, count, hidden, format);
    }

    @Override
    public long dequantizeRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final MemoryRegion scales,
        final RowList scaleRows, final int from, final int count, final int hidden)
    {
        return host.dequantizeRows(device(src), device(dst), rows, device(scales), scaleRows, from, count, hidden);
    }

    @Override
    public long waitFor(final ForeignEvent event)
    {
        return host.waitFor(event);
    }

    @Override
    public long record(final ForeignEvent event)
    {
        return host.record(event);
    }

    @Override
    public long position()
    {
        return host.position();
    }

    @Override
    public long completedPosition()
    {
        return host.completedPosition();
    }

    @Override
    public int progress()
    {
        return host.progress();
    }

    @Override
    public void close()
    {
        host.close();
    }
}
