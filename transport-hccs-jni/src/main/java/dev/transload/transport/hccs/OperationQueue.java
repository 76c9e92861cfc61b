/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.RowList;
import dev.transload.transport.base.RowCopy;
import dev.transload.transport.base.WordCopy;
import dev.transload.transport.hccs.internal.acl.AclStream;
import dev.transload.transport.hccs.internal.acl.CopyKind;
import dev.transload.transport.hccs.internal.acl.StreamProgress;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * The operations of a channel, carried out in their order: what concerns two devices is submitted to the stream, what
 * concerns host memory alone is done by the CPU, and what concerns both goes through page-locked memory. The CPU's part
 * behind a fence waits until the stream has done what was submitted before it, and so does a signal, which stands aside
 * meanwhile. One thread's.
 */
final class OperationQueue
{
    static final int CAPACITY = 256;

    /** A copy of bytes. */
    static final byte COPY = 0;

    /** A copy that reads words whole. */
    static final byte WORDS = 1;

    /** A copy of rows. */
    static final byte ROWS = 2;

    /** An atomic add by the CPU. */
    static final byte ADD = 3;

    /** What is behind it comes after what is before it. */
    static final byte FENCE = 4;

    /** An atomic add by the CPU behind all before it, which does not keep what is behind it. */
    static final byte SIGNAL = 5;

    /** Between host memories. */
    static final byte BY_CPU = 0;

    /** Between memories of devices. */
    static final byte BY_DEVICE = 1;

    /** From host memory to the device. */
    static final byte UP = 2;

    /** From the device to host memory. */
    static final byte DOWN = 3;

    /** From host memory to a peer's device. */
    static final byte FAR_UP = 4;

    /** From a peer's device to host memory. */
    static final byte FAR_DOWN = 5;

    private static final int MASK = CAPACITY - 1;
    private static final int PIECES = 256;
    private static final int COMPLETIONS = 1024;
    private static final int NOT_YET = 0;
    private static final int DONE = 1;

    private final AclStream stream;
    private final StreamProgress progress;
    private final Staging staging;
    private final boolean isStrided;
    private final byte[] kinds = new byte[CAPACITY];
    private final byte[] ways = new byte[CAPACITY];
    private final long[] sources = new long[CAPACITY];
    private final long[] targets = new long[CAPACITY];
    private final long[] amounts = new long[CAPACITY];
    private final int[] from = new int[CAPACITY];
    private final RowList[] rows = new RowList[CAPACITY];
    private final long[] ends = new long[CAPACITY];
    private long head;
    private long tail;
    private long fence;

    /** Of the operation at the head, if it is staged: the row and the byte in it that come next. */
    private int row;
    private long offset;
    private final long[] pieceTargets = new long[PIECES];
    private final long[] pieceSources = new long[PIECES];
    private final int[] pieceLengths = new int[PIECES];
    private int pieces;
    private long piecesValue;

    /** Signals that stand aside: what of the stream they wait for, the word, what is added. */
    private final long[] signalValues = new long[CAPACITY];
    private final long[] signalWords = new long[CAPACITY];
    private final long[] signalDeltas = new long[CAPACITY];
    private long firstSignal;
    private long nextSignal;

    private final long[] positions = new long[COMPLETIONS];
    private final long[] values = new long[COMPLETIONS];
    private long firstCompletion;
    private long nextCompletion;
    private long done;

    /**
     * Empty.
     *
     * @param stream    that device work goes to.
     * @param progress  of the stream.
     * @param staging   between host and device.
     * @param isStrided whether copies by pitches are allowed.
     */
    OperationQueue(
        final AclStream stream, final StreamProgress progress, final Staging staging, final boolean isStrided)
    {
        this.stream = stream;
        this.progress = progress;
        this.staging = staging;
        this.isStrided = isStrided;
    }

    /** Who copies from one memory to another. */
    static byte way(final HccsMemory source, final HccsMemory target)
    {
        return switch (source.place())
        {
            case HOST -> switch (target.place())
            {
                case HOST -> BY_CPU;
                case OWN_DEVICE -> UP;
                case PEER_DEVICE -> FAR_UP;
            };
            case OWN_DEVICE -> target.isDevice() ? BY_DEVICE : DOWN;
            case PEER_DEVICE -> target.isDevice() ? BY_DEVICE : FAR_DOWN;
        };
    }

    boolean hasRoom()
    {
        return tail - head < CAPACITY;
    }

    /** Position up to which all is done. */
    long done()
    {
        return done;
    }

    /** Whether nothing is under way. */
    boolean isEmpty()
    {
        return head == tail && firstCompletion == nextCompletion;
    }

    void addRows(final byte way, final long source, final long target, final RowList list, final int first,
        final int count, final long end)
    {
        rows[(int)tail & MASK] = list;
        from[(int)tail & MASK] = first;
        add(ROWS, way, source, target, count, end);
    }

    /**
     * Add an operation; there is room.
     *
     * @param kind   of the operation.
     * @param way    that its bytes go.
     * @param source address.
     * @param target address.
     * @param amount bytes, rows, or what is added.
     * @param end    position of its last operation.
     */
    void add(final byte kind, final byte way, final long source, final long target, final long amount, final long end)
    {
        final int at = (int)tail & MASK;
        kinds[at] = kind;
        ways[at] = 0 == amount ? BY_CPU : way;
        sources[at] = source;
        targets[at] = target;
        amounts[at] = amount;
        ends[at] = end;
        tail++;
    }

    /**
     * Carry out what can be carried out now.
     *
     * @return operations done, or the negated code of the runtime.
     */
    int advance()
    {
        int count = signal();
        while (head != tail && nextCompletion - firstCompletion < COMPLETIONS)
        {
            final int at = (int)head & MASK;
            final int result = step(at);
            if (result < 0)
            {
                return result;
            }

            if (NOT_YET == result)
            {
                break;
            }

            rows[at] = null;
            row = 0;
            offset = 0;
            head++;
            count++;
            complete(ends[at]);
        }

        return count + retire();
    }

    private int step(final int at)
    {
        if (FENCE == kinds[at])
        {
            fence = progress.submitted();
            // Device work behind it goes on at once, which no signal before it may miss.
            return firstSignal == nextSignal ? DONE : NOT_YET;
        }

        if (SIGNAL == kinds[at])
        {
            return standAside(at);
        }

        return switch (ways[at])
        {
            case BY_DEVICE -> byDevice(at);
            case UP, FAR_UP -> up(at);
            case DOWN, FAR_DOWN -> down(at);
            default -> byCpu(at);
        };
    }

    private int standAside(final int at)
    {
        if (CAPACITY == nextSignal - firstSignal)
        {
            return NOT_YET;
        }

        final int next = (int)nextSignal & MASK;
        signalValues[next] = progress.submitted();
        signalWords[next] = targets[at];
        signalDeltas[next] = amounts[at];
        nextSignal++;
        signal();
        return DONE;
    }

    /** Signals behind which the stream is, in order. */
    private int signal()
    {
        final long before = firstSignal;
        while (firstSignal != nextSignal && signalValues[(int)firstSignal & MASK] <= progress.completed())
        {
            UnsafeApi.getAndAddLong(
                null, signalWords[(int)firstSignal & MASK], signalDeltas[(int)firstSignal & MASK]);
            firstSignal++;
        }

        return (int)(firstSignal - before);
    }

    private int byCpu(final int at)
    {
        if (progress.completed() < fence)
        {
            return NOT_YET;
        }

        switch (kinds[at])
        {
            case COPY -> UnsafeApi.copyMemory(sources[at], targets[at], amounts[at]);
            case WORDS -> WordCopy.copy(sources[at], targets[at], amounts[at]);
            case ROWS -> RowCopy.copy(sources[at], targets[at], rows[at], from[at], from[at] + (int)amounts[at]);
            default -> UnsafeApi.getAndAddLong(null, targets[at], amounts[at]);
        }

        return DONE;
    }

    private int byDevice(final int at)
    {
        final int code = ROWS == kinds[at] ?
            stream.copyRows(CopyKind.DEVICE_TO_DEVICE, targets[at], sources[at],
            BufferUtil.address(rows[at].memory()) + (long)from[at] * RowList.STRIDE, (int)amounts[at],
            rows[at].rowLength(), isStrided) :
            stream.copy(CopyKind.DEVICE_TO_DEVICE, targets[at], sources[at], amounts[at]);
        progress.touch();
        return 0 == code ? DONE : -code;
    }

    private int up(final int at)
    {
        while (!isThrough(at))
        {
            final int length = staging.room(left(at));
            if (0 == length)
            {
                return NOT_YET;
            }

            final long slot = staging.take(length);
            if (WORDS == kinds[at])
            {
                WordCopy.copy(source(at), slot, length);
            }
            else
            {
                UnsafeApi.copyMemory(source(at), slot, length);
            }

            final int code = send(at, slot, length);
            staging.touch();
            if (0 != code)
            {
                return -code;
            }

            move(at, length);
        }

        return DONE;
    }

    private int send(final int at, final long slot, final int length)
    {
        final long next = FAR_UP == ways[at] ? staging.beside(slot) : target(at);
        final int code = stream.copy(CopyKind.HOST_TO_DEVICE, next, slot, length);
        return 0 == code && FAR_UP == ways[at] ?
            stream.copy(CopyKind.DEVICE_TO_DEVICE, target(at), next, length) : code;
    }

    private int fetch(final int at, final long slot, final int length)
    {
        if (DOWN == ways[at])
        {
            return stream.copy(CopyKind.DEVICE_TO_HOST, slot, source(at), length);
        }

        final long between = staging.beside(slot);
        final int code = stream.copy(CopyKind.DEVICE_TO_DEVICE, between, source(at), length);
        return 0 == code ? stream.copy(CopyKind.DEVICE_TO_HOST, slot, between, length) : code;
    }

    private int down(final int at)
    {
        if (pieces > 0)
        {
            if (progress.completed() < piecesValue)
            {
                return NOT_YET;
            }

            land();
        }

        while (!isThrough(at) && pieces < PIECES)
        {
            final int length = staging.room(left(at));
            if (0 == length)
            {
                break;
            }

            final long slot = staging.take(length);
            final int code = fetch(at, slot, length);
            staging.touch();
            if (0 != code)
            {
                return -code;
            }

            pieceSources[pieces] = slot;
            pieceTargets[pieces] = target(at);
            pieceLengths[pieces] = length;
            pieces++;
            move(at, length);
        }

        piecesValue = progress.submitted();
        return 0 == pieces && isThrough(at) ? DONE : NOT_YET;
    }

    /** What has come down goes where it belongs. */
    private void land()
    {
        for (int i = 0; i < pieces; i++)
        {
            UnsafeApi.copyMemory(pieceSources[i], pieceTargets[i], pieceLengths[i]);
        }

        pieces = 0;
    }

    private boolean isThrough(final int at)
    {
        return ROWS == kinds[at] ? row == amounts[at] : offset == amounts[at];
    }

    private long left(final int at)
    {
        return (ROWS == kinds[at] ? rows[at].rowLength() : amounts[at]) - offset;
    }

    private long source(final int at)
    {
        return sources[at] + offset + (ROWS == kinds[at] ? rows[at].srcOffset(from[at] + row) : 0);
    }

    private long target(final int at)
    {
        return targets[at] + offset + (ROWS == kinds[at] ? rows[at].dstOffset(from[at] + row) : 0);
    }

    private void move(final int at, final int length)
    {
        offset += length;
        if (ROWS == kinds[at] && offset == rows[at].rowLength())
        {
            offset = 0;
            row++;
        }
    }

    private void complete(final long position)
    {
        final long value = progress.submitted();
        final int last = (int)((nextCompletion - 1) % COMPLETIONS);
        if (nextCompletion != firstCompletion && values[last] == value)
        {
            positions[last] = position;
            return;
        }

        final int next = (int)(nextCompletion % COMPLETIONS);
        positions[next] = position;
        values[next] = value;
        nextCompletion++;
    }

    private int retire()
    {
        final long before = firstCompletion;
        while (firstCompletion != nextCompletion &&
            values[(int)(firstCompletion % COMPLETIONS)] <= progress.completed())
        {
            done = positions[(int)(firstCompletion % COMPLETIONS)];
            firstCompletion++;
        }

        return (int)(firstCompletion - before);
    }
}
