/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.kernels.StepKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaModule;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.internal.steps.CudaSteps;

import java.util.Objects;

/**
 * Row operations of one GPU, on a stream of their own: each is one launch, or none where there is nothing to do. The
 * CPU looks at a list once, to check its offsets, and at no row of a table; the device reads both by itself.
 * <p>
 * Host regions which the device does not address yet are registered when they are used first. They must stay mapped
 * until the kernels close. After an error of the device every call throws, since it is lost for this process.
 */
public final class CudaRowKernels implements RowKernels
{
    /** Bytes of rows that are worth a block of their own. */
    private static final long BLOCK_BYTES = 32 << 10;

    /** Bytes between host and device that the copy engine moves sooner than a few multiprocessors. */
    private static final int ENGINE_BYTES = 16 << 10;

    /** Elements that one warp sums or casts at a time. */
    private static final int UNIT_ELEMENTS = 1024;

    /** Such units that are worth a block of their own. */
    private static final long BLOCK_UNITS = 8;

    private final int sms;
    private final KernelQueue queue;
    private final PinnedLists lists;
    private final RegionAddresses regions;
    private final SumRegions sums;
    private final RegionTable sources;
    private final ScatterRegions scattered;
    private final RegionTable targets;
    private final KernelArguments arguments = new KernelArguments();
    private final PartArguments parts;
    private final StepKernels steps;
    private final long putRows;
    private final long putRowsParts;
    private final long zeroRows;
    private final long reduceRows;
    private final long reducePartedRows;
    private final long reduceAnyRows;
    private final long scatterRows;
    private final long quantizeRows;
    private final long dequantizeRows;

    /**
     * An empty queue.
     *
     * @param device    that works.
     * @param sms       blocks of one launch at most, each of which takes a multiprocessor.
     * @param timeoutNs after which stalled work counts as failed.
     */
    public CudaRowKernels(final CudaDevice device, final int sms, final long timeoutNs)
    {
        final CudaModule module = device.module(CudaStream.KERNELS);
        this.sms = sms;
        this.putRows = module.function(KernelArguments.PUT_ROWS);
        this.putRowsParts = module.function(KernelArguments.PUT_ROWS_PARTS);
        this.zeroRows = module.function(KernelArguments.ZERO_ROWS);
        this.reduceRows = module.function(KernelArguments.REDUCE_ROWS);
        this.reducePartedRows = module.function(KernelArguments.REDUCE_PARTED_ROWS);
        this.reduceAnyRows = module.function(KernelArguments.REDUCE_ANY_ROWS);
        this.scatterRows = module.function(KernelArguments.SCATTER_ROWS);
        this.quantizeRows = module.function(KernelArguments.QUANTIZE_ROWS);
        this.dequantizeRows = module.function(KernelArguments.DEQUANTIZE_ROWS);
        this.lists = new PinnedLists(device);
        this.regions = new RegionAddresses(device);
        this.sums = new SumRegions(regions);
        this.scattered = new ScatterRegions(regions);
        this.queue = new KernelQueue(device.openStream(), timeoutNs);
        this.sources = new RegionTable(queue.stream());
        this.targets = new RegionTable(queue.stream());
        this.steps = new CudaSteps(device, timeoutNs, regions::of);
        this.parts = new PartArguments(regions, arguments);
    }

    @Override
    public MemoryKind kind()
    {
        return MemoryKind.CUDA;
    }

    /**
     * The stream of these kernels, which others may let their own wait for.
     *
     * @return stream; these kernels alone submit to it.
     */
    public CudaStream stream()
    {
        return queue.stream();
    }

    @Override
    public RowList allocateRows(final int capacity)
    {
        return lists.rows(capacity);
    }

    @Override
    public RowTable allocateTable(final int rowCapacity, final int entryCapacity)
    {
        return lists.table(rowCapacity, entryCapacity, false);
    }

    @Override
    public RowTable allocateWeightedTable(final int rowCapacity, final int entryCapacity)
    {
        return lists.table(rowCapacity, entryCapacity, true);
    }

    @Override
    public long copyRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        final long source = regions.of("src", src);
        final long target = regions.of("dst", dst);
        final long list = RowRanges.listWithin(src, dst, rows, from, count);
        final int length = rows.rowLength();
        if (1 == count && length >= ENGINE_BYTES && src.kind().isHost() != dst.kind().isHost())
        {
            return queue.copy(target + RowRanges.offset(list, RowRanges.TARGET, from),
                source + RowRanges.offset(list, RowRanges.SOURCE, from), length);
        }

        return 0 == count || 0 == length ? queue.follow() : launch(putRows, blocksOf((long)count * length),
            arguments.putRows(RowRanges.entry(list, from), count, length, source, target));
    }

    @Override
    public long copyRows(final RowCopies copies)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        final int count = parts.putFilled(copies);
        return 0 == count ? queue.follow() : launch(putRowsParts, blocksOf(parts.bytes()), arguments.putParts(count));
    }

    @Override
    public boolean hasParallelParts()
    {
        return true;
    }

    @Override
    public StepKernels steps()
    {
        return steps;
    }

    @Override
    public long zeroRows(final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        final long target = regions.of("dst", dst);
        final long list = RowRanges.listOf("rows", rows, from, count);
        final int length = rows.rowLength();
        RowRanges.check("dst", dst.length(), list, RowRanges.TARGET, from, count, length);
        return 0 == count || 0 == length ? queue.follow() : launch(zeroRows, blocksOf((long)count * length),
            arguments.zeroRows(RowRanges.entry(list, from), count, length, target));
    }

    @Override
    public long reduceRows(final Reduction reduction, final RowTable table, final int from, final int count)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        sums.resolve(reduction, table, from, count);
        final long address = PinnedLists.addressOf("table", table);
        if (0 == count)
        {
            return queue.follow();
        }

        final int words = sums.regionCount() * KernelArguments.SOURCE_WORDS;
        if (sums.regionCount() <= KernelArguments.INLINE_REGIONS)
        {
            arguments.sourcesAt(sums.words(), words);
        }
        else
        {
            final long inTable = sources.of(sums.words(), words);
            if (0 == inTable)
            {
                return BACK_PRESSURED;
            }

            arguments.sourcesIn(inTable);
        }

        final int length = arguments.sumsOf(address + (long)from * RowTable.ROW_STRIDE,
                address + table.entriesOffset(), address + table.weightsOffset())
            .sumsTo(sums.target(), reduction.targetStride())
            .sumsFrom(sums.bias0(), sums.bias1(), reduction.biasStride())
            .sums(count, reduction.hidden(), sums.flags());
        final int blocks = blocksOf(count, reduction.hidden());
        return sums.isPlain() ? launch(sums.hasParts() ? reducePartedRows : reduceRows, blocks, length) :
            queue.launch(reduceAnyRows, blocks, KernelArguments.REDUCE_ANY_THREADS, arguments, length);
    }

    @Override
    public long scatterRows(final RowScatter scatter, final RowTable table, final int from, final int count)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        scattered.resolve(scatter, table, from, count);
        final long address = PinnedLists.addressOf("table", table);
        final long bytes = (long)scatter.rowBytes() + scatter.scalesBytes();
        final int copies = table.firstEntry(from + count) - table.firstEntry(from);
        if (0 == copies || 0 == bytes)
        {
            return queue.follow();
        }

        final int words = scattered.regionCount() * KernelArguments.TARGET_WORDS;
        if (scattered.regionCount() <= KernelArguments.INLINE_REGIONS)
        {
            arguments.targetsAt(scattered.words(), words);
        }
        else
        {
            final long inTable = targets.of(scattered.words(), words);
            if (0 == inTable)
            {
                return BACK_PRESSURED;
            }

            arguments.targetsIn(inTable);
        }

        final int blocks = blocksOf(copies * bytes);
        return launch(scatterRows, blocks,
            arguments.scatterOf(address + (long)from * RowTable.ROW_STRIDE, address + table.entriesOffset())
                .plane(0, scattered.source(), scatter.sourceStride(), scatter.rowBytes())
                .plane(1, scattered.scales(), scatter.scalesStride(), scatter.scalesBytes())
                .scatter(count, scattered.near(), scattered.nearBlocks(blocks)));
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

        prepareCast(src, dst, rows, scales, scaleRows, from, count, hidden, true);
        return 0 == count ? queue.follow() : launch(quantizeRows, blocksOf(count, hidden),
            arguments.cast(count, hidden, ScaleFormat.POWER_OF_TWO == format));
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

        prepareCast(src, dst, rows, scales, scaleRows, from, count, hidden, false);
        return 0 == count ? queue.follow() :
            launch(dequantizeRows, blocksOf(count, hidden), arguments.cast(count, hidden, false));
    }

    /** {@inheritDoc} Its handle is a CUevent, of any device of this process. */
    @Override
    public long waitFor(final ForeignEvent event)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        checkEvent(event);
        return queue.mark(queue.stream().waitFor(event.handle()), "cuStreamWaitEvent");
    }

    /** {@inheritDoc} Its handle is a CUevent of this device. */
    @Override
    public long record(final ForeignEvent event)
    {
        if (!queue.tryEnter())
        {
            return BACK_PRESSURED;
        }

        checkEvent(event);
        final int own = queue.stream().device().ordinal();
        if (own != event.device())
        {
            throw new IllegalArgumentException(
                "event is of device " + event.device() + ": these kernels record events of device " + own);
        }

        return queue.mark(queue.stream().record(event.handle()), "cuEventRecord");
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
        if (queue.close())
        {
            sources.close();
            targets.close();
            regions.close();
        }
    }

    private void prepareCast(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final MemoryRegion scales,
        final RowList scaleRows, final int from, final int count, final int hidden, final boolean isToFp8)
    {
        if (hidden <= 0 || 0 != hidden % Fp8.GROUP)
        {
            throw new IllegalArgumentException("hidden=" + hidden + ": must be a positive multiple of " + Fp8.GROUP);
        }

        final long source = regions.of("src", src);
        final long target = regions.of("dst", dst);
        final long scale = regions.of("scales", scales);
        final long list = RowRanges.listOf("rows", rows, from, count);
        final long scaleList = RowRanges.listOf("scaleRows", scaleRows, from, count);
        final long wide = (long)hidden * Short.BYTES;
        RowRanges.check("src", src.length(), list, RowRanges.SOURCE, from, count, isToFp8 ? wide : hidden);
        RowRanges.check("dst", dst.length(), list, RowRanges.TARGET, from, count, isToFp8 ? hidden : wide);
        RowRanges.check("scales", scales.length(), scaleList, isToFp8 ? RowRanges.TARGET : RowRanges.SOURCE, from,
            count, (long)Fp8.scales(hidden) * Float.BYTES);
        arguments.castOf(RowRanges.entry(list, from), RowRanges.entry(scaleList, from), source, target, scale);
    }

    private static void checkEvent(final ForeignEvent event)
    {
        if (!MemoryKind.CUDA.equals(event.kind()) || 0 == event.handle())
        {
            throw new IllegalArgumentException("event is " + event + ": must be a CUevent of kind CUDA");
        }
    }

    private long launch(final long function, final int blocks, final int length)
    {
        return queue.launch(function, blocks, KernelArguments.THREADS, arguments, length);
    }

    private int blocksOf(final long bytes)
    {
        return (int)Math.min(sms, (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    }

    private int blocksOf(final int count, final int hidden)
    {
        final long units = (long)count * ((hidden + UNIT_ELEMENTS - 1) / UNIT_ELEMENTS);
        return (int)Math.min(sms, (units + BLOCK_UNITS - 1) / BLOCK_UNITS);
    }
}
