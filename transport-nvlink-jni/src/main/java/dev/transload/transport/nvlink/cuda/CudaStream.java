/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.UnsafeApi;

/**
 * A queue of work on a device that says how far it is. Each launch has a value, one more than the launch before; the
 * last block of its kernel stores that value in a word of page-locked memory, where the CPU reads it without a call.
 * <p>
 * A kernel's arguments begin with {@link #HEADER_LENGTH} bytes that this class fills in: the address of the word u64,
 * the value u64, and the address u64 of a counter u32 by which blocks find out which is the last.
 * <p>
 * One thread at a time submits. Threads that share a stream call {@link #tryEnter()} and {@link #exit()} around it.
 */
public final class CudaStream implements AutoCloseable
{
    /** Bytes of a kernel's arguments that every launch fills in. */
    public static final int HEADER_LENGTH = 3 * Long.BYTES;

    /** Most bytes of a kernel's arguments. */
    public static final int MAX_ARGUMENT_LENGTH = 4000;

    /** PTX text of all kernels, as a resource. */
    public static final String KERNELS = "/dev/transload/transport/nvlink/transload_kernels.ptx";

    /** Kernel that only says that all work before it is done. */
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
     * Launch a kernel.
     *
     * @param function  from {@link CudaModule#function}.
     * @param blocks    of the grid.
     * @param threads   of a block.
     * @param arguments address of its arguments, of which the first {@link #HEADER_LENGTH} bytes are written here.
     * @param length    of the arguments in bytes, at most {@link #MAX_ARGUMENT_LENGTH}.
     * @return value of the launch, or the negated error; nothing was launched then.
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
     * Copy by the copy engine; the copy is completed with the value of a launch behind it.
     *
     * @param target address, of any memory that the device reaches.
     * @param source address, of any memory that the device reaches.
     * @param length in bytes.
     * @return value, or the negated error.
     */
    public long copy(final long target, final long source, final long length)
    {
        final int result = copyUnmarked(target, source, length);
        return CudaCalls.SUCCESS == result ? mark() : -result;
    }

    /**
     * Copy by the copy engine, completed with whatever value is submitted next.
     *
     * @param target address, of any memory that the device reaches.
     * @param source address, of any memory that the device reaches.
     * @param length in bytes.
     * @return 0, or the error.
     */
    public int copyUnmarked(final long target, final long source, final long length)
    {
        return CudaCalls.copyAsync(context, target, source, length, handle);
    }

    /**
     * Have all work submitted so far completed with a value.
     *
     * @return value, or the negated error.
     */
    public long mark()
    {
        return launch(markFunction, 1, MARK_THREADS, word + LINE, HEADER_LENGTH);
    }

    /**
     * Let later work begin only after an event, of this driver's or another library's.
     *
     * @param foreignEvent handle.
     * @return 0, or the negated error.
     */
    public int waitFor(final long foreignEvent)
    {
        return -CudaCalls.streamWaitEvent(context, handle, foreignEvent);
    }

    /**
     * Let an event happen after all work submitted so far.
     *
     * @param foreignEvent handle.
     * @return 0, or the negated error.
     */
    public int record(final long foreignEvent)
    {
        return -CudaCalls.eventRecord(context, foreignEvent, handle);
    }

    /**
     * Let later work of this stream begin only after all that another one was given so far.
     *
     * @param other stream of the same device.
     * @return 0, or the negated error.
     */
    public int waitFor(final CudaStream other)
    {
        final int result = other.record(other.event);
        return 0 == result ? waitFor(other.event) : result;
    }

    /** Value of the last launch. */
    public long submitted()
    {
        return submitted;
    }

    /**
     * How far the device is; what the work up to here wrote is visible to all readers. Any thread may ask.
     *
     * @return value of the last launch that has completed.
     */
    public long completed()
    {
        return UnsafeApi.getLongAcquire(null, word);
    }

    /**
     * Ask the driver whether the stream has failed, which a kernel that died does not say itself. A call; seldom.
     *
     * @return 0 while it goes on, or is done; else the negated error.
     */
    public int trouble()
    {
        final int result = CudaCalls.streamQuery(context, handle);
        return CudaCalls.NOT_READY == result ? 0 : -result;
    }

    /**
     * Wait until the device is so far.
     *
     * @param value     to be reached.
     * @param timeoutNs after which this gives up.
     * @return 0 when it is, the negated error when it will never be, or negated CUDA_ERROR_NOT_READY after the time.
     */
    public int await(final long value, final long timeoutNs)
    {
        return await(() -> completed() >= value, timeoutNs);
    }

    /**
     * Wait for what work of this stream brings about.
     *
     * @param isDone    what is waited for.
     * @param timeoutNs after which this gives up.
     * @return 0 when it is, the negated error when it will never be, or negated CUDA_ERROR_NOT_READY after the time.
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
     * Set memory that this stream's device reaches to zero, and wait for it. Not while others submit.
     *
     * @param address of the first byte.
     * @param length  in bytes.
     * @throws CudaException if the device fails, or doesn't do it in time; it is given up then.
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

    /** Whose it is. */
    public CudaDevice device()
    {
        return device;
    }

    /** For a library that submits work of its own. */
    public long handle()
    {
        return handle;
    }

    /** Become the thread that submits. */
    public boolean tryEnter()
    {
        return BUSY.compareAndSet(this, false, true);
    }

    /** No longer be the thread that submits. */
    public void exit()
    {
        BUSY.setRelease(this, false);
    }

    /** Waits for the work that was submitted, unless its device was given up, and frees the stream. */
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
