/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import org.agrona.BufferUtil;

/**
 * What one call sends to one rank by one channel: perhaps a message, a fence, and an add to the signal that announces;
 * then rows, a fence, and an add to the signal that tells of them. The peer reads the message while the rows still
 * move. Rows that kernels store in the peer's memory are not put, but awaited. Refused operations are tried again. All
 * is sent when it has been delivered: the caller's thread may turn to other things then, and what still needed it would
 * keep the peer waiting.
 */
final class Lane
{
    private enum Phase
    {
        MESSAGE, MESSAGE_FENCE, ANNOUNCEMENT, KERNELS, ROWS, FENCE, SIGNAL, FLUSH, DELIVERY, SENT
    }

    private final PeerLink link;
    private final int channel;
    private final RowList rows;
    private final long rowsAddress;
    private Phase phase = Phase.SENT;
    private MemoryRegion source;
    private int count;
    private int sent;
    private boolean isStored;
    private MemoryRegion messageSource;
    private long messageOffset;
    private long messageTarget;
    private long messageLength;
    private int announcement;
    private int signal;
    private long delta;
    private long end;
    private long delivered;

    Lane(final PeerLink link, final int channel, final RowList rows)
    {
        this.link = link;
        this.channel = channel;
        this.rows = rows;
        this.rowsAddress = BufferUtil.address(rows.memory());
    }

    /** Begin a call without rows and message. */
    void begin(final MemoryRegion rowSource, final int rowBytes, final int ownSignal, final long signalDelta)
    {
        source = rowSource;
        rows.rowLength(rowBytes);
        count = 0;
        sent = 0;
        isStored = false;
        messageLength = 0;
        signal = ownSignal;
        delta = signalDelta;
        phase = Phase.MESSAGE;
    }

    /** Where the entries of the row list are, to be written in the layout of {@link RowList}. */
    long rowsAddress()
    {
        return rowsAddress;
    }

    /** So many entries were written. */
    void rows(final int written)
    {
        count = written;
        rows.noteWritten();
    }

    /** So many rows are stored by kernels. */
    void storedRows(final int stored)
    {
        count = stored;
        sent = stored;
        isStored = true;
    }

    boolean isStored()
    {
        return isStored;
    }

    /** Goes ahead of the rows, with a signal of its own. */
    void message(
        final MemoryRegion region, final long from, final long to, final long bytes, final int ownAnnouncement)
    {
        announcement = ownAnnouncement;
        messageSource = region;
        messageOffset = from;
        messageTarget = to;
        messageLength = bytes;
    }

    /**
     * Send what is taken.
     *
     * @param kernels  that make or store the rows, null where nobody does.
     * @param position that they have reached by then.
     * @return 0 where nothing was taken.
     */
    int doWork(final RowKernels kernels, final long position)
    {
        int work = 0;
        while (Phase.SENT != phase && step(kernels, position))
        {
            work++;
        }

        return work;
    }

    private boolean step(final RowKernels kernels, final long position)
    {
        final Channel out = link.channel(channel);
        return switch (phase)
        {
            case MESSAGE -> 0 == messageLength ? passed(0, Phase.KERNELS) : passed(out.put(
                messageSource, messageOffset, link.messages(), messageTarget, messageLength), Phase.MESSAGE_FENCE);
            case MESSAGE_FENCE -> passed(out.fence(), Phase.ANNOUNCEMENT);
            case ANNOUNCEMENT -> passed(out.atomicAdd(link.signals(), announcement, 1), Phase.KERNELS);
            case KERNELS ->
                passed(null == kernels || 0 == count ? 0 : startAfter(out, kernels, position), Phase.ROWS);
            case ROWS -> putRows(out);
            case FENCE -> passed(0 == count ? 0 : out.fence(), Phase.SIGNAL);
            case SIGNAL -> addSignal(out);
            case FLUSH -> flush(out);
            default -> passed(out.deliveredPosition() < delivered ? Channel.BACK_PRESSURED : 0, Phase.SENT);
        };
    }

    private boolean passed(final long status, final Phase next)
    {
        if (status < 0)
        {
            return false;
        }

        phase = next;
        return true;
    }

    /** Of rows that are stored the CPU tells, which had better look for their end than have the device tell it too. */
    private long startAfter(final Channel out, final RowKernels kernels, final long position)
    {
        return isStored && kernels.completedPosition() < position ? Channel.BACK_PRESSURED :
            out.startAfter(kernels, position);
    }

    private boolean putRows(final Channel out)
    {
        if (sent == count)
        {
            return passed(0, Phase.FENCE);
        }

        final long before = out.position();
        final long status = out.putRows(source, link.payload(), rows, sent, count - sent);
        if (status < 0)
        {
            return false;
        }

        sent += (int)(status - before);
        return true;
    }

    private boolean addSignal(final Channel out)
    {
        end = out.atomicAdd(link.signals(), signal, delta);
        return passed(end, Phase.FLUSH);
    }

    private boolean flush(final Channel out)
    {
        delivered = out.flush();
        return passed(delivered, Phase.DELIVERY);
    }

    boolean isSent()
    {
        return Phase.SENT == phase;
    }

    /** Whether there are rows that have not been delivered. */
    boolean hasUnsentRows()
    {
        return count > 0 && !isSent();
    }

    /** Whether nothing reads local memory any more. */
    boolean isReleased()
    {
        return isSent() && link.channel(channel).releasedPosition() >= end;
    }

    int count()
    {
        return count;
    }

    long bytes()
    {
        return (long)count * rows.rowLength() + messageLength;
    }
}
