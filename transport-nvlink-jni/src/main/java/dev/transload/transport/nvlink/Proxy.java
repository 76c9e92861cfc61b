/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.RowList;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaException;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.PinnedMemory;
import dev.transload.transport.nvlink.cuda.Residents;
import dev.transload.transport.nvlink.kernels.KernelArguments;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A kernel that stays on the device and carries out commands, in place of a launch each. They are numbered from 1, and
 * complete in that order. It leaves by itself when it has had no command for a while, or has stayed for long, and
 * whenever memory is given back ({@link Residents}); {@link #tend()} launches it again for commands that are left.
 * <p>
 * The queue has {@link #COMMANDS} slots of four quads of 16 bytes, as {@code tl_proxy.cuh} reads them. Each ends with
 * the low half of the command's number u32, written last; in front of it are: source u64, what u32; target u64, count
 * u32; entries or delta u64, row length u32; the number u64 that must be complete before, unused u32.
 */
final class Proxy implements Residents.Resident
{
    /** Slots of the queue. */
    static final int COMMANDS = 128;

    /** Bytes of a command that are worth more than one block. */
    static final long NARROW_BYTES = 32 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);
    private static final int QUAD = 2 * Long.BYTES;
    private static final int STRIDE = 4 * QUAD;
    private static final int LINE = 128;
    private static final int LEAVE = COMMANDS * STRIDE;
    private static final int WORD = LEAVE + LINE;
    private static final int STATE_LENGTH = 6 * Long.BYTES + COMMANDS * (Integer.BYTES + STRIDE);
    private static final int PUT = 0;
    private static final int ROWS = 1;
    private static final int ADD = 2;
    private static final int WIDE = 0x100;

    private final CudaDevice device;
    private final ProxyOptions options;
    private final long timeoutNs;
    private final long function;
    private final CudaStream stream;
    private final PinnedMemory pinned;
    private final long queue;
    private final long state;
    private final KernelArguments arguments = new KernelArguments();
    private volatile long posted;
    private volatile long launches;
    private volatile int failure;
    private long lastWide;

    Proxy(final CudaDevice device, final NvlinkOptions options)
    {
        this.device = device;
        this.options = options.proxy();
        this.timeoutNs = options.timeoutNs();
        this.function = device.module(CudaStream.KERNELS).function(KernelArguments.PROXY);
        this.stream = device.openUrgentStream();
        this.pinned = device.allocatePinned(WORD + LINE);
        this.queue = pinned.address();
        this.state = device.allocate(STATE_LENGTH);
        stream.zero(state, STATE_LENGTH);
        device.driver().residents().add(this);
    }

    CudaStream stream()
    {
        return stream;
    }

    boolean takes(final long bytes)
    {
        return bytes <= options.maxBytes();
    }

    /** Begin to post: nobody else does, and there is room. */
    boolean tryEnter()
    {
        if (!stream.tryEnter())
        {
            return false;
        }

        if (posted - completed() < COMMANDS)
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

    /** Commands so far. */
    long posted()
    {
        return posted;
    }

    /** Command up to which all are complete. */
    long completed()
    {
        return UnsafeApi.getLongAcquire(null, queue + WORD);
    }

    /** How often the kernel was launched. */
    long launches()
    {
        return launches;
    }

    /** Whether the kernel is there, or will be. */
    boolean isResident()
    {
        return stream.completed() < launches;
    }

    /**
     * Bytes from one place to another.
     *
     * @param behind command that must be complete before.
     * @param source address.
     * @param target address.
     * @param length in bytes.
     * @return number of the command, or the negated error.
     */
    long copy(final long behind, final long source, final long target, final long length)
    {
        return post(PUT, behind, source, target, 0, (int)length, 0);
    }

    /** Rows, likewise. */
    long copyRows(
        final long behind, final long source, final long target, final RowList rows, final int from, final int count)
    {
        final long entries = BufferUtil.address(rows.memory()) + (long)from * RowList.STRIDE;
        return post(ROWS, behind, source, target, entries, count, rows.rowLength());
    }

    /** An atomic add, likewise. */
    long add(final long behind, final long word, final long delta)
    {
        return post(ADD, behind, 0, word, delta, 0, 0);
    }

    /**
     * Launch the kernel if commands are left and it has left. From any thread.
     *
     * @return 0, or the negated error.
     */
    int tend()
    {
        if (completed() >= posted || isResident() || !stream.tryEnter())
        {
            return failure;
        }

        final int error = launchUnlessThere();
        stream.exit();
        return error;
    }

    /** Wait for a command: 0, or the negated error. */
    int await(final long command)
    {
        final int error = stream.await(() -> completed() >= command || 0 != tend(), timeoutNs);
        return 0 == error ? failure : error;
    }

    @Override
    public synchronized void leave()
    {
        final long launch = launches;
        if (stream.completed() < launch)
        {
            UnsafeApi.putLongRelease(null, queue + LEAVE, launch);
            final int error = stream.await(launch, timeoutNs);
            if (0 != error)
            {
                device.giveUp();
                LOG.warn("{}: the proxy does not leave: {}", device.describe(), CudaException.describe(-error));
            }
        }
    }

    /** When nothing is posted any more. */
    void close()
    {
        leave();
        device.driver().residents().remove(this);
        stream.close();
        device.free(state);
        pinned.close();
    }

    private long post(
        final int kind,
        final long behind,
        final long source,
        final long target,
        final long more,
        final int count,
        final int rowLength)
    {
        if (0 != failure)
        {
            return failure;
        }

        final long command = posted + 1;
        final boolean isWide = ADD != kind && (ROWS == kind ? (long)count * rowLength : count) > NARROW_BYTES;
        final long slot = queue + command % COMMANDS * STRIDE;
        final long tag = command << Integer.SIZE;
        // A command of one block must not overtake those of all: it would be complete before them.
        write(slot, source, tag | (isWide ? kind | WIDE : kind));
        write(slot + QUAD, target, tag | count);
        write(slot + 2 * QUAD, more, tag | rowLength);
        write(slot + 3 * QUAD, isWide ? behind : Math.max(behind, lastWide), tag);
        lastWide = isWide ? command : lastWide;
        posted = command;
        final int error = launchUnlessThere();
        return 0 == error ? command : error;
    }

    private int launchUnlessThere()
    {
        if (0 != failure || completed() >= posted || isResident())
        {
            return failure;
        }

        final int length = arguments.proxyOf(queue, queue + LEAVE, queue + WORD, state)
            .proxy(options.idleNs(), options.residencyNs());
        final long value = stream.launch(
            function, options.sms(), KernelArguments.THREADS, arguments.address(), length);
        if (value < 0)
        {
            // For good: what is in the queue may not be carried out later, when its memory may have gone.
            failure = (int)value;
            return failure;
        }

        launches = value;
        return 0;
    }

    private static void write(final long quad, final long first, final long second)
    {
        UnsafeApi.putLong(quad, first);
        UnsafeApi.putLongRelease(null, quad + Long.BYTES, second);
    }
}
