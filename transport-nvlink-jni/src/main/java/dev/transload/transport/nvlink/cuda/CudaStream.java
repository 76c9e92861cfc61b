/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.UnsafeApi;

/**
 * Queue of work for a device. The queue reports its progress. Each launch has a value, which is one more than the value
 * of the previous launch. The last block of the launched kernel stores the value in a word of page-locked memory, which
 * the CPU reads without a driver call.
 * <p>
 * The arguments of a kernel begin with {@link #HEADER_LENGTH} bytes that this class fills in: the address of the word
 * (u64), the value (u64), and the address (u64) of a counter (u32). With this counter, a block finds out whether it is
 * the last block.
 * <p>
 * Only one thread at a time may submit work. Threads that share a stream call {@link #tryEnter()} before they submit
 * work, and {@link #exit()} afterwards.
 */
public final class CudaStream implements AutoCloseable
{
    /** Number of bytes at the start of a kernel's arguments that each launch fills in. */
    public static final int HEADER_LENGTH = 3 * Long.BYTES;

    /** Largest length of a kernel's arguments in bytes. */
    public static final int MAX_ARGUMENT_LENGTH = 4000;

    /** Resource name of the PTX text with all kernels. */
    public static final String KERNELS = "/dev/transload/transport/nvlink/transload_kernels.ptx";

    /** Name of the kernel that only signals that all earlier work is complete. */
    public static final String MARK = "tl_mark";

    private static final int COMPLETION_VALUE = Long.BYTES;
    private static final int BLOCK_COUNTER = 2 * Long.BYTES;
    private static final int MARK_THREADS = 32;
    private static final int LINE = 128;
    private static final long ZERO_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final VarHandle BUSY;

    private final CudaDevice device;
    private final long context;
    private final long handle;
    private final long event;
    private final PinnedMemory pinned;
    private final long word;
    private final long blockCounter;
    private final long markFunction;
    private volatile boolean busy;
    private volatile boolean isOpen = true;
    private long submitted;

    static
    {
        try
        {
            BUSY = MethodHandles.lookup().findVarHandle(CudaStream.class, "busy", boolean.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    CudaStream(final CudaDevice device)
    {
        this.device = device;
        this.context = device.context();
        this.markFunction = device.module(KERNELS).function(MARK);
        this.handle = device.value("cuStreamCreateWithPriority",
            CudaCalls.streamCreate(context, CudaCalls.STREAM_NON_BLOCKING, 0));
        this.event = device.value("cuEventCreate", CudaCalls.eventCreate(context, CudaCalls.EVENT_DISABLE_TIMING));
        // One line for the word, one for the arguments of marks; the counter lives on the device.
        this.pinned = device.allocatePinned(2 * LINE);
        this.word = pinned.address();
        this.blockCounter = device.allocate(LINE);
        zero(blockCounter, LINE);
    }

    /**
     * Launches a kernel.
     *
     * @param function  kernel handle returned by {@link CudaModule#function}.
     * @param blocks    number of blocks of the grid.
     * @param threads   number of threads per block.
     * @param arguments address of the kernel's arguments; this method writes the first {@link #HEADER_LENGTH} bytes.
     * @param length    length of the arguments in bytes, at most {@link #MAX_ARGUMENT_LENGTH}.
     * @return value of the launch, or the negated CUDA error if nothing was launched.
     */
    public long launch(final long function, final int blocks, final int threads, final long arguments, final int length)
    {
        final long value = submitted + 1;
        UnsafeApi.putLong(arguments, word);
        UnsafeApi.putLong(arguments + COMPLETION_VALUE, value);
        UnsafeApi.putLong(arguments + BLOCK_COUNTER, blockCounter);
        final int result = CudaCalls.launch(context, function, handle, blocks, threads, arguments, length);
        if (CudaCalls.SUCCESS != result)
        {
            return -result;
        }

        submitted = value;
        return value;
    }

    /**
     * Copies memory with the copy engine. A launch after the copy signals that the copy is complete.
     *
     * @param target target address in memory that the device can access.
     * @param source source address in memory that the device can access.
     * @param length length in bytes.
     * @return value that signals completion, or the negated CUDA error.
     */
    public long copy(final long target, final long source, final long length)
    {
        final int result = copyUnmarked(target, source, length);
        return CudaCalls.SUCCESS == result ? mark() : -result;
    }

    /**
     * Copies memory with the copy engine. The copy is complete when the value of the next launch is reached.
     *
     * @param target target address in memory that the device can access.
     * @param source source address in memory that the device can access.
     * @param length length in bytes.
     * @return 0, or the CUDA error.
     */
    public int copyUnmarked(final long target, final long source, final long length)
    {
        return CudaCalls.copyAsync(context, target, source, length, handle);
    }

    /**
     * Launches a kernel that signals the completion of all work submitted so far.
     *
     * @return value that signals completion, or the negated CUDA error.
     */
    public long mark()
    {
        return launch(markFunction, 1, MARK_THREADS, word + LINE, HEADER_LENGTH);
    }

    /**
     * Makes later work wait for an event of this driver or of another library.
     *
     * @param foreignEvent handle of the event.
     * @return 0, or the negated CUDA error.
     */
    public int waitFor(final long foreignEvent)
    {
        return -CudaCalls.streamWaitEvent(context, handle, foreignEvent);
    }

    /**
     * Records an event, which occurs when all work submitted so far is complete.
     *
     * @param foreignEvent handle of the event.
     * @return 0, or the negated CUDA error.
     */
    public int record(final long foreignEvent)
    {
        return -CudaCalls.eventRecord(context, foreignEvent, handle);
    }

    /**
     * Makes later work of this stream wait for all work that has been submitted to another stream so far.
     *
     * @param other stream of the same device.
     * @return 0, or the negated CUDA error.
     */
    public int waitFor(final CudaStream other)
    {
        final int result = other.record(other.event);
        return 0 == result ? waitFor(other.event) : result;
    }

    /** Returns the value of the last launch. */
    public long submitted()
    {
        return submitted;
    }

    /**
     * Returns the progress of the device. Everything that the completed launches have written is visible to all
     * readers. Any thread may call this method.
     *
     * @return value of the last completed launch.
     */
    public long completed()
    {
        return UnsafeApi.getLongAcquire(null, word);
    }

    /**
     * Queries the driver for an error of the stream, because a failed kernel does not report its failure itself. This
     * is a driver call, so it should be used rarely.
     *
     * @return 0 if the stream has no error, otherwise the negated CUDA error.
     */
    public int trouble()
    {
        final int result = CudaCalls.streamQuery(context, handle);
        return CudaCalls.NOT_READY == result ? 0 : -result;
    }

    /**
     * Waits until the device has completed the launch with a given value.
     *
     * @param value     value of the launch to wait for.
     * @param timeoutNs longest time to wait, in nanoseconds.
     * @return 0 if the value was reached, the negated CUDA error if the stream failed, or negated CUDA_ERROR_NOT_READY
     *         after the timeout.
     */
    public int await(final long value, final long timeoutNs)
    {
        return await(() -> completed() >= value, timeoutNs);
    }

    /**
     * Waits until work of this stream has made a condition true.
     *
     * @param isDone    condition to wait for.
     * @param timeoutNs longest time to wait, in nanoseconds.
     * @return 0 if the condition is true, the negated CUDA error if the stream failed, or negated CUDA_ERROR_NOT_READY
     *         after the timeout.
     */
    public int await(final BooleanSupplier isDone, final long timeoutNs)
    {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        long nextQueryNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1);
        while (!isDone.getAsBoolean())
        {
            final long nowNs = System.nanoTime();
            if (nowNs - nextQueryNs > 0)
            {
                final int error = trouble();
                if (0 != error || nowNs - deadlineNs > 0)
                {
                    return 0 != error ? error : -CudaCalls.NOT_READY;
                }

                nextQueryNs = nowNs + TimeUnit.MILLISECONDS.toNanos(1);
                Thread.yield();
            }

            Thread.onSpinWait();
        }

        return 0;
    }

    /**
     * Fills memory with zeros and waits for completion. The device of this stream must be able to access the memory.
     * Other threads must not submit work meanwhile.
     *
     * @param address address of the first byte.
     * @param length  length in bytes.
     * @throws CudaException if the device fails or does not complete in time; after a timeout the device is marked as
     *                       unusable.
     */
    public void zero(final long address, final long length)
    {
        device.check("cuMemsetD8Async", CudaCalls.setAsync(context, address, 0, length, handle));
        final long deadlineNs = System.nanoTime() + ZERO_TIMEOUT_NS;
        int result = CudaCalls.streamQuery(context, handle);
        while (CudaCalls.NOT_READY == result && System.nanoTime() - deadlineNs < 0)
        {
            Thread.yield();
            result = CudaCalls.streamQuery(context, handle);
        }

        if (CudaCalls.NOT_READY == result)
        {
            device.giveUp();
            throw new CudaException("cuMemsetD8Async", device.describe(), StallWatch.TIMEOUT);
        }

        device.check("cuMemsetD8Async", result);
    }

    /** Returns the device of this stream. */
    public CudaDevice device()
    {
        return device;
    }

    /** Returns the handle of the stream, with which another library can submit its own work. */
    public long handle()
    {
        return handle;
    }

    /**
     * Tries to make the calling thread the only thread that submits work. Returns false if another thread is
     * submitting.
     */
    public boolean tryEnter()
    {
        return BUSY.compareAndSet(this, false, true);
    }

    /** Ends the exclusive right that {@link #tryEnter} gave to the calling thread. */
    public void exit()
    {
        BUSY.setRelease(this, false);
    }

    /**
     * Waits for the submitted work and then frees the stream. If the device was marked as unusable, this method does
     * nothing.
     */
    @Override
    public synchronized void close()
    {
        if (isOpen && !device.isGivenUp())
        {
            isOpen = false;
            // After an error of the device all of these fail likewise; the process ends what is left of them.
            device.check("cuStreamSynchronize", CudaCalls.streamSynchronize(context, handle));
            device.check("cuEventDestroy", CudaCalls.eventDestroy(context, event));
            device.check("cuStreamDestroy", CudaCalls.streamDestroy(context, handle));
            device.free(blockCounter);
            pinned.close();
        }
    }
}
