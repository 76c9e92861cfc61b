/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
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
    public ReductionList allocateReduction(final int groupCapacity, final int sourceCapacity)
    {
        return host.allocateReduction(groupCapacity, sourceCapacity);
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
    public long reduceRows(final Reduction asked, final ReductionList list, final int from, final int count)
    {
        for (int i = 0; i < MOST_REGIONS; i++)
        {
            final boolean isAsked = i < asked.sourceRegions();
            reduction.source(
                i, isAsked ? device(asked.source(i)) : null, isAsked ? asked.sourceType(i) : null);
        }

        reduction.partType(asked.partType())
            .target(device(asked.target()), asked.targetType())
            .biases(device(asked.bias0()), device(asked.bias1()))
            .hidden(asked.hidden())
            .weighted(asked.isWeighted());
        return host.reduceRows(reduction, list, from, count);
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
