/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.TransportException;
import dev.transload.transport.base.ControlStream;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpRequest;

/** Control messages to one peer; a few may be on their way, all in order. */
final class ActiveMessageStream implements ControlStream
{
    private static final int MAX_SENDS = 16;
    private static final long CAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final UcpCalls calls;
    private final UcpEndpoint endpoint;
    private final boolean canBeForced;
    private final ArrayDeque<Send> sends = new ArrayDeque<>();
    private final long handle;
    private long flush;
    private long canceledNs;
    private boolean isClosed;

    /** A message is kept as long as UCX may read it. */
    private record Send(UcpRequest request, DirectBuffer message)
    {
    }

    ActiveMessageStream(final UcpCalls calls, final UcpEndpoint endpoint, final boolean canBeForced)
    {
        this.calls = calls;
        this.endpoint = endpoint;
        this.canBeForced = canBeForced;
        this.handle = endpoint.getNativeId();
    }

    @Override
    public boolean offer(final DirectBuffer message)
    {
        takeUp();
        if (isClosed || MAX_SENDS == sends.size())
        {
            return false;
        }

        final UcpRequest request = endpoint.sendAmNonBlocking(ActiveMessages.MESSAGE_ID, 0, 0,
            message.addressOffset(), message.capacity(), UcpConstants.UCP_AM_SEND_FLAG_EAGER, null);
        sends.add(new Send(request, message));
        return true;
    }

    /** What was sent is flushed; the endpoint ends with {@link #end()}. */
    @Override
    public void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            flush = calls.flush(handle);
        }
    }

    /** Whether all that was sent has arrived, or never will. */
    boolean isFlushed()
    {
        return flush <= 0 || UcpCalls.IN_PROGRESS != calls.requestStatus(flush);
    }

    /**
     * After {@link #close()}, once: give the endpoint up.
     *
     * @return a request of UCX for its end, or 0 or less; an endpoint that cannot be forced goes with its worker.
     */
    long end()
    {
        if (flush > 0)
        {
            calls.requestFree(flush);
            flush = 0;
        }

        return canBeForced ? calls.closeEndpoint(handle, true) : 0;
    }

    /** The endpoint's listener hears why it broke when the worker is driven next. */
    private boolean isCauseDue()
    {
        final long nowNs = System.nanoTime();
        if (0 == canceledNs)
        {
            canceledNs = nowNs;
        }

        return nowNs - canceledNs < CAUSE_NS;
    }

    private void takeUp()
    {
        while (!sends.isEmpty() && sends.peek().request.isCompleted())
        {
            final int status = sends.peek().request.getStatus();
            if (UcpCalls.CANCELED == status && isCauseDue())
            {
                return;
            }

            sends.remove();
            if (status < 0)
            {
                throw new TransportException("a control message was not sent: " + calls.statusText(status) + " (" +
                    status + ")", status, null);
            }
        }
    }
}
