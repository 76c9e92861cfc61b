/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/**
 * What one call sends to one rank by one channel: rows, then perhaps a message, a fence, and an add to the signal that
 * tells of them. Refused operations are tried again. All is sent when it has been delivered: the caller's thread may
 * turn to other things then, and what still needed it would keep the peer waiting.
 */
final class Lane
{
    private enum Phase
    {
        KERNELS, ROWS, MESSAGE, FENCE, SIGNAL, FLUSH, DELIVERY, SENT
    }

    private final PeerLink link;
    private final int channel;
    private final RowList rows;
    private Phase phase = Phase.SENT;
    private RowKernels kernels;
    private long kernelsPosition;
    private MemoryRegion source;
    private int count;
    private int sent;
    private MemoryRegion messageSource;
    private long messageOffset;
    private long messageTarget;
    private long messageLength;
    private int signal;
    private long delta;
    private long end;
    private long delivered;

    Lane(final PeerLink link, final int channel, final RowList rows)
    {
        this.link = link;
        this.channel = channel;
        this.rows = rows;
    }

    /** Begin a call without rows and message. */
    void begin(final MemoryRegion rowSource, final int rowBytes, final int ownSignal, final long signalDelta)
    {
        source = rowSource;
        rows.rowLength(rowBytes);
        count = 0;
        sent = 0;
        kernels = null;
        messageLength = 0;
        signal = ownSignal;
        delta = signalDelta;
        phase = Phase.KERNELS;
    }

    void add(final long from, final long to)
    {
        rows.set(count++, from, to);
    }

    /** Rows are what kernels make. */
    void startAfter(final RowKernels maker, final long position)
    {
        kernels = maker;
        kernelsPosition = position;
    }

    void message(final MemoryRegion region, final long from, final long to, final long bytes)
    {
        messageSource = region;
        messageOffset = from;
        messageTarget = to;
        messageLength = bytes;
    }

    /** Send what is taken; 0 where nothing was. */
    int doWork()
    {
        int work = 0;
        while (Phase.SENT != phase && step())
        {
            work++;
        }

        return work;
    }

    private boolean step()
    {
        final Channel out = link.channel(channel);
        return switch (phase)
        {
            case KERNELS -> passed(
                null == kernels || 0 == count ? 0 : out.startAfter(kernels, kernelsPosition), Phase.ROWS);
            case ROWS -> putRows(out);
            case MESSAGE -> passed(0 == messageLength ? 0 : out.put(
                messageSource, messageOffset, link.messages(), messageTarget, messageLength), Phase.FENCE);
            case FENCE -> passed(0 == messageLength && 0 == count ? 0 : out.fence(), Phase.SIGNAL);
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

    private boolean putRows(final Channel out)
    {
        if (sent == count)
        {
            return passed(0, Phase.MESSAGE);
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

    /** Whether rows are still being made by kernels of this rank: nobody else keeps the call waiting. */
    boolean isBehindKernels()
    {
        return !isSent() && null != kernels && count > 0 && kernels.completedPosition() < kernelsPosition;
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
