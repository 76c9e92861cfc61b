/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.TransportException;
import dev.transload.transport.nvlink.cuda.CudaException;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.StallWatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Positions of row operations on a stream: an operation is done when the stream has completed the launch that ends it.
 * Operations and launches under way are bounded. Driven by one thread.
 */
final class KernelQueue
{
    /** Launches that may be under way. The driver's own queue is longer, and blocks when it is full. */
    static final int MAX_LAUNCHES = 128;

    /** Operations that may be under way, those without a launch among them. */
    static final int MAX_OPERATIONS = 1024;

    private static final Logger LOG = LoggerFactory.getLogger(KernelQueue.class);
    private static final int MASK = MAX_OPERATIONS - 1;

    private final CudaStream stream;
    private final long timeoutNs;
    private final StallWatch watch;
    private final long[] values = new long[MAX_OPERATIONS];
    private Thread owner;
    private TransportException failure;
    private boolean isClosed;
    private long position;
    private long completed;
    private long unmarked;

    KernelQueue(final CudaStream stream, final long timeoutNs)
    {
        this.stream = stream;
        this.timeoutNs = timeoutNs;
        this.watch = new StallWatch(stream, timeoutNs);
    }

    CudaStream stream()
    {
        return stream;
    }

    long position()
    {
        return position;
    }

    /** All operations up to here are done. */
    long completed()
    {
        if (unmarked > stream.submitted())
        {
            markCopies();
        }

        final long value = stream.completed();
        while (completed < position && values[(int)(completed + 1) & MASK] <= value)
        {
            completed++;
        }

        return completed;
    }

    /**
     * Begin to submit.
     *
     * @return whether there is room for an operation.
     */
    boolean tryEnter()
    {
        check();
        return stream.submitted() - stream.completed() < MAX_LAUNCHES &&
            (position - completed < MAX_OPERATIONS || position - completed() < MAX_OPERATIONS);
    }

    /** An operation that is one launch; there is room. Back-pressure while another thread gives the device work. */
    long launch(
        final long function, final int blocks, final int threads, final KernelArguments arguments, final int length)
    {
        if (!stream.device().tryLaunch())
        {
            return RowKernels.BACK_PRESSURED;
        }

        try
        {
            return accept(stream.launch(function, blocks, threads, arguments.address(), length));
        }
        finally
        {
            stream.device().launched();
        }
    }

    /**
     * An operation that is one copy by the copy engine; as {@link #launch}. It is done with the next launch, or with a
     * launch of its own once somebody asks: so several copies have one.
     */
    long copy(final long target, final long source, final long length)
    {
        if (!stream.device().tryLaunch())
        {
            return RowKernels.BACK_PRESSURED;
        }

        final int result;
        try
        {
            result = stream.copyUnmarked(target, source, length);
        }
        finally
        {
            stream.device().launched();
        }

        if (0 != result)
        {
            throw failed(new CudaException("cuMemcpyAsync", stream.device().describe(), result));
        }

        unmarked = stream.submitted() + 1;
        return accept(unmarked);
    }

    /** Give copies that nothing was launched behind a launch of their own, unless another thread is just launching. */
    private void markCopies()
    {
        if (stream.device().tryLaunch())
        {
            try
            {
                requireLaunched(stream.mark());
            }
            finally
            {
                stream.device().launched();
            }
        }
    }

    /** An operation that is done when all before it is. */
    long follow()
    {
        return accept(stream.submitted());
    }

    /** An operation that the stream was given by another call, with a launch to tell when it is done. */
    long mark(final int result, final String call)
    {
        if (0 != result)
        {
            throw new CudaException(call, stream.device().describe(), -result);
        }

        return accept(stream.mark());
    }

    int progress()
    {
        check();
        final long before = completed;
        if (before == completed() && completed < position)
        {
            final int error = watch.look(stream.completed());
            if (0 != error)
            {
                throw failed(new TransportException("row kernels of " + stream.device().describe() +
                    " failed: operation " + (completed + 1) + " ended with " + CudaException.describe(error), error,
                    null));
            }
        }

        return (int)(completed - before);
    }

    /**
     * Waits for what was submitted, as long as the device may be stalled.
     *
     * @return whether memory that was in use may go now.
     */
    boolean close()
    {
        if (isClosed)
        {
            return false;
        }

        isClosed = true;
        final long last = unmarked > stream.submitted() ? stream.mark() : stream.submitted();
        final int error = last < 0 ? (int)last : stream.await(last, timeoutNs);
        if (0 != error)
        {
            stream.device().giveUp();
            LOG.warn("{}: row kernels are given up: {}", stream.device().describe(), CudaException.describe(-error));
            return false;
        }

        stream.close();
        return true;
    }

    private long accept(final long value)
    {
        requireLaunched(value);
        position++;
        values[(int)position & MASK] = value;
        return position;
    }

    private void requireLaunched(final long value)
    {
        if (value < 0)
        {
            throw failed(new CudaException("cuLaunchKernel", stream.device().describe(), (int)-value));
        }
    }

    private TransportException failed(final TransportException cause)
    {
        failure = cause;
        return cause;
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
