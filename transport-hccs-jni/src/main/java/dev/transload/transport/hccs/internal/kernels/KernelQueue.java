/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.TransportException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operations of row kernels, carried out in their order: what the device does alone goes to the stream at once,
 * what the CPU has a part in goes through blocks, of which the device fills some while the CPU works on another. The
 * next operation begins when all of this one is submitted, so that it finds what this one wrote; an operation of parts
 * takes them one by one. Driven by one thread.
 */
final class KernelQueue
{
    /** Operations that may be under way. */
    static final int MOST_OPERATIONS = 256;

    private static final Logger LOG = LoggerFactory.getLogger(KernelQueue.class);
    private static final int MASK = MOST_OPERATIONS - 1;

    private final DeviceWork work;
    private final StagingSlots slots;
    private final StagedRows rows;
    private final StagedSums sums;
    private final DeviceSums deviceSums;

    /** Rows of the copy that is under way, of a scatter. */
    private final Moves scattered = new Moves();
    private final KernelOperation[] operations = new KernelOperation[MOST_OPERATIONS];
    private final long[] values = new long[MOST_OPERATIONS];
    private final long timeoutNs;

    /** Operations accepted, submitted and done; the one behind the submitted ones is under way. */
    private long position;
    private long submitted;
    private long completed;

    /** Of the operation, or its part, that is under way: the entry that is gathered next, -1 before it began. */
    private int next = -1;

    /** Blocks that were gathered, that the CPU has done, and that are free again; the value by which each is. */
    private long gathered;
    private long finished;
    private long freed;
    private final long[] blockValues = new long[StagingSlots.COUNT];

    private Thread owner;
    private TransportException failure;
    private boolean isClosed;

    KernelQueue(
        final DeviceWork work, final long blockBytes, final RowKernels host, final ReduceProbe probe,
        final long timeoutNs)
    {
        this.work = work;
        this.timeoutNs = timeoutNs;
        this.slots = new StagingSlots(work, blockBytes);
        this.rows = new StagedRows(work, slots, host);
        this.sums = new StagedSums(work, slots, host);
        this.deviceSums = new DeviceSums(work, slots, probe);
        for (int i = 0; i < MOST_OPERATIONS; i++)
        {
            operations[i] = new KernelOperation();
        }
    }

    DeviceSums deviceSums()
    {
        return deviceSums;
    }

    long position()
    {
        return position;
    }

    /** All operations up to here are done. */
    long completed()
    {
        return completed;
    }

    /** Begin to submit: whether there is room for an operation. */
    boolean tryEnter()
    {
        check();
        if (position - completed == MOST_OPERATIONS)
        {
            advance();
        }

        return position - completed < MOST_OPERATIONS;
    }

    /** The operation that is accepted next. */
    KernelOperation next()
    {
        return operations[(int)position & MASK];
    }

    /** It was filled in. */
    long accept()
    {
        position++;
        advance();
        return position;
    }

    int progress()
    {
        check();
        return completed == position ? 0 : advance();
    }

    /** Waits for what was submitted, as long as the device may be stalled. */
    void close()
    {
        if (isClosed)
        {
            return;
        }

        try
        {
            finish();
        }
        catch (final TransportException ex)
        {
            LOG.warn("{}: row kernels are given up: {}", work.device().describe(), ex.getMessage());
        }
        finally
        {
            isClosed = true;
            work.close();
            slots.close();
            work.leftovers().tryAgain();
        }
    }

    private void finish()
    {
        long movedNs = System.nanoTime();
        while (null == failure && completed < position)
        {
            if (advance() > 0)
            {
                movedNs = System.nanoTime();
            }
            else if (System.nanoTime() - movedNs > timeoutNs)
            {
                throw new TransportException("operation " + (completed + 1) + " of " + position +
                    " is not done after " + timeoutNs + " ns", TransportException.NO_STATUS, null);
            }
            else
            {
                Thread.onSpinWait();
            }
        }
    }

    /** Look at the device, go on, and let it say when it has done the rest. */
    private int advance()
    {
        final long before = completed + submitted + finished + gathered;
        try
        {
            work.look();
            while (submitted < position && step(operations[(int)submitted & MASK]))
            {
                next = -1;
                if (!operations[(int)submitted & MASK].takePart(scattered))
                {
                    values[(int)submitted & MASK] = work.submitted();
                    submitted++;
                }
            }

            work.mark();
        }
        catch (final TransportException ex)
        {
            failure = new TransportException("row kernels of " + work.device().describe() + " failed: operation " +
                (submitted + 1) + " or one before it: " + ex.getMessage(), ex.nativeStatus(), ex);
            throw failure;
        }

        while (completed < submitted && values[(int)completed & MASK] <= work.completed())
        {
            operations[(int)completed & MASK].clear();
            completed++;
        }

        return (int)(completed + submitted + finished + gathered - before);
    }

    /** Whether all of an operation is submitted. */
    private boolean step(final KernelOperation operation)
    {
        switch (operation.kind)
        {
            case NOTHING ->
            {
                return true;
            }
            case WAIT -> work.waitFor(operation.event);
            case RECORD -> work.record(operation.event);
            case SUM ->
            {
                return stage(sums, operation);
            }
            case SUM_ON_DEVICE ->
            {
                return stage(deviceSums, operation);
            }
            case COPY ->
            {
                if (!KernelMemory.isDevice(operation.source) || !KernelMemory.isDevice(operation.target))
                {
                    return stage(rows, operation);
                }

                work.copyRows(operation.target.address(), operation.source.address(), operation.rows,
                    operation.from, operation.count, operation.rows.rowLength());
            }
            case ZERO ->
            {
                if (!KernelMemory.isDevice(operation.target))
                {
                    return stage(rows, operation);
                }

                work.zeroRows(operation.target.address(), operation.rows, operation.from, operation.count,
                    operation.rows.rowLength());
            }
            default ->
            {
                return stage(rows, operation);
            }
        }

        return true;
    }

    private boolean stage(final StagedWork staged, final KernelOperation operation)
    {
        if (next < 0)
        {
            next = operation.from;
        }

        while (finished < gathered && blockValues[block(finished)] <= work.completed())
        {
            staged.finish(operation, block(finished));
            blockValues[block(finished)] = work.submitted();
            finished++;
        }

        while (freed < finished && blockValues[block(freed)] <= work.completed())
        {
            freed++;
        }

        final int end = operation.from + operation.count;
        while (next < end && gathered - freed < StagingSlots.COUNT && isRoomFor(staged, operation))
        {
            next = staged.gather(operation, block(gathered), next);
            // Also where the CPU alone reads: not before what was submitted earlier is done.
            blockValues[block(gathered)] = work.submitted();
            gathered++;
        }

        return next == end && finished == gathered;
    }

    private boolean isRoomFor(final StagedWork staged, final KernelOperation operation)
    {
        final long bytes = staged.bytesOfOne(operation, next);
        if (slots.holds(bytes))
        {
            return true;
        }

        if (gathered != freed)
        {
            return false;
        }

        slots.provide(bytes);
        return true;
    }

    private static int block(final long count)
    {
        return (int)(count % StagingSlots.COUNT);
    }

    private void check()
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

        if (isClosed)
        {
            throw new IllegalStateException("row kernels are closed: must be open");
        }

        if (null != failure)
        {
            throw new TransportException(failure.getMessage(), failure.nativeStatus(), failure);
        }
    }
}
