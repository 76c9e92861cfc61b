/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.RowList;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaModule;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.internal.kernels.KernelArguments;

import org.agrona.BufferUtil;

/**
 * One stream of the transport with the kernels that move bytes. The submitting thread has entered it; what is
 * submitted returns the value by which the stream tells that it is done, or the negated error.
 */
final class StreamLane
{
    /** Launches that may be under way. The driver's own queue is longer, and blocks when it is full. */
    static final int MAX_IN_FLIGHT = 128;

    /** From this length on the copy engine is faster than a few multiprocessors, and takes none. */
    static final long COPY_ENGINE_MIN_BYTES = 8 << 20;

    /**
     * The same between host and device. A bus that carries both directions at once has 45 GB/s each way by copy engines
     * and 31 to 36 by multiprocessors (PCIe 5 x16, chunks of 2 MiB).
     */
    static final long BUS_MIN_BYTES = 256 << 10;

    /** Bytes that are worth a block of their own. */
    private static final long BLOCK_BYTES = 32 << 10;

    private final CudaStream stream;
    private final int sms;
    private final long putRows;
    private final long put;
    private final long add;
    private final KernelArguments arguments = new KernelArguments();

    StreamLane(final CudaDevice device, final NvlinkOptions options)
    {
        final CudaModule module = device.module(CudaStream.KERNELS);
        this.sms = options.sms();
        this.putRows = module.function(KernelArguments.PUT_ROWS);
        this.put = module.function(KernelArguments.PUT);
        this.add = module.function(KernelArguments.ADD);
        this.stream = device.openStream();
    }

    CudaStream stream()
    {
        return stream;
    }

    /** Begin to submit: nobody else gives the device work, and there is room. */
    boolean tryEnter()
    {
        if (!stream.tryEnter())
        {
            return false;
        }

        if (stream.submitted() - stream.completed() < MAX_IN_FLIGHT && stream.device().tryLaunch())
        {
            return true;
        }

        stream.exit();
        return false;
    }

    void exit()
    {
        stream.device().launched();
        stream.exit();
    }

    /** Value up to which everything is done. */
    long completed()
    {
        return stream.completed();
    }

    long copy(final long source, final long target, final long length, final boolean isAcrossBus)
    {
        if (length >= (isAcrossBus ? BUS_MIN_BYTES : COPY_ENGINE_MIN_BYTES))
        {
            return stream.copy(target, source, length);
        }

        return launch(put, blocks(length), arguments.put(source, target, length));
    }

    long copyRows(final long source, final long target, final RowList rows, final int from, final int count)
    {
        final long entries = BufferUtil.address(rows.memory()) + (long)from * RowList.STRIDE;
        return launch(putRows, blocks((long)count * rows.rowLength()),
            arguments.putRows(entries, count, rows.rowLength(), source, target));
    }

    long add(final long word, final long delta)
    {
        return stream.launch(add, 1, 1, arguments.address(), arguments.add(word, delta));
    }

    private long launch(final long function, final int blocks, final int length)
    {
        return stream.launch(function, blocks, KernelArguments.THREADS, arguments.address(), length);
    }

    private int blocks(final long bytes)
    {
        return (int)Math.min(sms, (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    }
}
