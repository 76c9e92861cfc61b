/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.RowList;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaModule;
import dev.transload.transport.nvlink.cuda.CudaStream;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * One stream of the transport with the kernels that move bytes. Whoever submits has entered it; what is submitted
 * returns the value by which the stream tells that it is done, or the negated error.
 */
final class StreamLane
{
    /** Launches that may be under way. The driver's own queue is longer, and blocks when it is full. */
    static final int MAX_IN_FLIGHT = 128;

    /** From this length on the copy engine is faster than a few multiprocessors, and takes none. */
    static final long COPY_ENGINE_MIN_BYTES = 8 << 20;

    private static final int THREADS = 1024;

    /** Bytes that are worth a block of their own. */
    private static final long BLOCK_BYTES = 32 << 10;

    private static final int FIRST = CudaStream.HEADER_LENGTH;

    /** tl_put_rows: entries u64, count u64, row length u64, source u64, target u64. */
    private static final int PUT_ROWS_LENGTH = FIRST + 5 * Long.BYTES;

    /** tl_put: source u64, target u64, bytes u64. */
    private static final int PUT_LENGTH = FIRST + 3 * Long.BYTES;

    /** tl_add64: address of the word u64, delta i64. */
    private static final int ADD_LENGTH = FIRST + 2 * Long.BYTES;

    private final CudaStream stream;
    private final int sms;
    private final long putRows;
    private final long put;
    private final long add;
    private final ByteBuffer buffer = BufferUtil.allocateDirectAligned(PUT_ROWS_LENGTH, Long.BYTES);
    private final long arguments = BufferUtil.address(buffer);

    StreamLane(final CudaDevice device, final int sms)
    {
        final CudaModule module = device.module(CudaStream.KERNELS);
        this.sms = sms;
        this.putRows = module.function("tl_put_rows");
        this.put = module.function("tl_put");
        this.add = module.function("tl_add64");
        this.stream = device.openStream();
    }

    CudaStream stream()
    {
        return stream;
    }

    /** Begin to submit: nobody else does, and there is room. */
    boolean tryEnter()
    {
        if (!stream.tryEnter())
        {
            return false;
        }

        if (stream.submitted() - stream.completed() < MAX_IN_FLIGHT)
        {
            return true;
        }

        stream.exit();
        return false;
    }

    void exit()
    {
        stream.exit();
    }

    /** Value up to which everything is done. */
    long completed()
    {
        return stream.completed();
    }

    long copy(final long source, final long target, final long length)
    {
        if (length >= COPY_ENGINE_MIN_BYTES)
        {
            return stream.copy(target, source, length);
        }

        UnsafeApi.putLong(arguments + FIRST, source);
        UnsafeApi.putLong(arguments + FIRST + Long.BYTES, target);
        UnsafeApi.putLong(arguments + FIRST + 2 * Long.BYTES, length);
        return stream.launch(put, blocks(length), THREADS, arguments, PUT_LENGTH);
    }

    long copyRows(final long source, final long target, final RowList rows, final int from, final int count)
    {
        final long entries = BufferUtil.address(rows.memory()) + (long)from * RowList.STRIDE;
        UnsafeApi.putLong(arguments + FIRST, entries);
        UnsafeApi.putLong(arguments + FIRST + Long.BYTES, count);
        UnsafeApi.putLong(arguments + FIRST + 2 * Long.BYTES, rows.rowLength());
        UnsafeApi.putLong(arguments + FIRST + 3 * Long.BYTES, source);
        UnsafeApi.putLong(arguments + FIRST + 4 * Long.BYTES, target);
        return stream.launch(
            putRows, blocks((long)count * rows.rowLength()), THREADS, arguments, PUT_ROWS_LENGTH);
    }

    long add(final long word, final long delta)
    {
        UnsafeApi.putLong(arguments + FIRST, word);
        UnsafeApi.putLong(arguments + FIRST + Long.BYTES, delta);
        return stream.launch(add, 1, 1, arguments, ADD_LENGTH);
    }

    private int blocks(final long bytes)
    {
        return (int)Math.min(sms, (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    }
}
