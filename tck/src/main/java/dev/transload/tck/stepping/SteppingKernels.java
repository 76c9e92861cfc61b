/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

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
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;

/** A queue of kernels that steps of the fabric execute, in order and late. */
final class SteppingKernels implements RowKernels, StepQueue
{
    private final SteppingFabric fabric;
    private final int rank;
    private final MemoryKind kind;
    private final ArrayDeque<KernelOperation> queue = new ArrayDeque<>();
    private Thread owner;
    private long position;
    private long executed;
    private long completed;
    private int looks;
    private boolean closed;

    SteppingKernels(final SteppingFabric fabric, final int rank, final MemoryKind kind)
    {
        this.fabric = fabric;
        this.rank = rank;
        this.kind = kind;
        fabric.checkDevice(fabric.options().kinds(), kind, 0);
    }

    @Override
    public MemoryKind kind()
    {
        return kind;
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
        return new RowTable(ByteBuffer.allocateDirect(RowTable.bytes(rowCapacity, entryCapacity, isWeighted)),
            rowCapacity, entryCapacity, isWeighted);
    }

    @Override
    public long copyRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        return submit(new CopyOperation(fabric, kind, Objects.requireNonNull(src, "src"), dst, rows, from, count));
    }

    @Override
    public long copyRows(final RowCopies copies)
    {
        return submit(new PartsOperation(fabric, kind, copies));
    }

    /** {@inheritDoc} In an order by chance. */
    @Override
    public boolean hasParallelParts()
    {
        return true;
    }

    @Override
    public long zeroRows(final MemoryRegion dst, final RowList rows, final int from, final int count)
    {
        return submit(new CopyOperation(fabric, kind, null, dst, rows, from, count));
    }

    @Override
    public long reduceRows(final Reduction reduction, final RowTable table, final int from, final int count)
    {
        return submit(new ReduceOperation(fabric, kind, reduction, table, from, count));
    }

    @Override
    public long scatterRows(final RowScatter scatter, final RowTable table, final int from, final int count)
    {
        return submit(new ScatterOperation(fabric, kind, scatter, table, from, count));
    }

    @Override
    public long quantizeRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final MemoryRegion scales,
        final RowList scaleRows, final int from, final int count, final int hidden, final ScaleFormat format)
    {
        return submit(new CastOperation(fabric, kind, src, dst, rows, scales, scaleRows, from, count, hidden,
            Objects.requireNonNull(format, "format")));
    }

    @Override
    public long dequantizeRows(
        final MemoryRegion src, final MemoryRegion dst, final RowList rows, final MemoryRegion scales,
        final RowList scaleRows, final int from, final int count, final int hidden)
    {
        return submit(new CastOperation(fabric, kind, src, dst, rows, scales, scaleRows, from, count, hidden, null));
    }

    @Override
    public long waitFor(final ForeignEvent event)
    {
        return submit(new EventOperation(fabric, kind, event, false));
    }

    @Override
    public long record(final ForeignEvent event)
    {
        return submit(new EventOperation(fabric, kind, event, true));
    }

    @Override
    public long position()
    {
        return position;
    }

    @Override
    public long completedPosition()
    {
        return fabric.has(Fault.KRN_2) && 0 == (++looks & 1) ? completed / 2 : completed;
    }

    @Override
    public int progress()
    {
        synchronized (fabric)
        {
            confine();
            if (fabric.schedule().isPaused(rank))
            {
                return 0;
            }

            fabric.schedule().tick();
            if (!isEmpty())
            {
                step();
            }

            final long before = completed;
            completed = fabric.mischief(0.5) ?
                before + fabric.chance().below((int)(executed - before) + 1) : executed;
            return (int)(completed - before);
        }
    }

    @Override
    public void close()
    {
        synchronized (fabric)
        {
            if (closed)
            {
                return;
            }

            while (!queue.isEmpty())
            {
                if (!queue.peek().mayBegin())
                {
                    throw new IllegalStateException(
                        "kernels cannot be closed: the " + queue.peek() + ", which has not happened, would block");
                }

                executeHead();
            }

            completed = executed;
            closed = true;
        }
    }

    @Override
    public int rank()
    {
        return rank;
    }

    @Override
    public boolean isEmpty()
    {
        return queue.isEmpty();
    }

    @Override
    public boolean isBlocked()
    {
        return !queue.peek().mayBegin();
    }

    @Override
    public void kill(final int killed)
    {
        if (rank == killed)
        {
            queue.clear();
        }
    }

    @Override
    public void step()
    {
        if (queue.peek().mayBegin() && queue.peek().notBefore() <= fabric.schedule().now())
        {
            executeHead();
        }
    }

    long executedPosition()
    {
        return executed;
    }

    private void executeHead()
    {
        if (fabric.has(Fault.KRN_1))
        {
            queue.addFirst(queue.removeLast());
        }

        final KernelOperation head = queue.peek();
        if (head.isBegun())
        {
            head.finish();
            queue.remove();
            executed++;
        }
        else
        {
            head.begin(fabric.chance());
        }
    }

    long submit(final KernelOperation operation)
    {
        synchronized (fabric)
        {
            confine();
            if (!isWellFormed(operation))
            {
                return position;
            }

            if (fabric.mischief(0.2) || queue.size() >= fabric.options().kernelQueueCapacity())
            {
                return BACK_PRESSURED;
            }

            operation.submit(fabric.nextSubmission(), fabric.notBefore());
            queue.add(operation);
            fabric.schedule().activate(this);
            return ++position;
        }
    }

    /** Throws for misuse; the broken ones drop it, or what is empty. */
    private boolean isWellFormed(final KernelOperation operation)
    {
        try
        {
            operation.check();
            return !fabric.has(Fault.KRN_13) || !operation.isEmpty();
        }
        catch (final IllegalArgumentException | IndexOutOfBoundsException ex)
        {
            if (fabric.has(Fault.KRN_10))
            {
                return false;
            }

            throw ex;
        }
    }

    private void confine()
    {
        if (closed)
        {
            throw new IllegalStateException("kernels of " + kind + " are closed");
        }

        final Thread current = Thread.currentThread();
        if (null == owner)
        {
            owner = current;
        }
        else if (owner != current)
        {
            throw new IllegalStateException("kernels of " + kind + " are confined to thread " + owner.getName() +
                ", called by " + current.getName());
        }
    }
}
