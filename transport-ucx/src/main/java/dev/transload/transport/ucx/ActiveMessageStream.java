/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.TransportException;
import dev.transload.transport.base.ControlStream;
import dev.transload.transport.ucx.ucp.UcpCalls;
import java.util.ArrayDeque;
import org.agrona.DirectBuffer;
import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpRequest;

/** Control messages to one peer; a few may be on their way, all in order. */
final class ActiveMessageStream implements ControlStream
{
    private static final int MAX_SENDS = 16;

    private final UcpCalls calls;
    private final UcpEndpoint endpoint;
    private final boolean canBeForced;
    private final ArrayDeque<Send> sends = new ArrayDeque<>();
    private UcpRequest end;
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

    @Override
    public void close()
    {
        if (isClosed)
        {
            return;
        }

        isClosed = true;
        if (canBeForced)
        {
            end = sends.stream().allMatch((send) -> send.request.isCompleted()) ? endpoint.closeNonBlockingFlush() :
                endpoint.closeNonBlockingForce();
        }
        else if (sends.stream().allMatch((send) -> send.request.isCompleted()))
        {
            end = endpoint.closeNonBlockingFlush();
        }
    }

    /** Whether closing has come to its end; what a dead peer holds up goes with the worker. */
    boolean isEnded()
    {
        return isClosed && (null == end || end.isCompleted());
    }

    private void takeUp()
    {
        while (!sends.isEmpty() && sends.peek().request.isCompleted())
        {
            final int status = sends.poll().request.getStatus();
            if (status < 0)
            {
                throw new TransportException("a control message was not sent: " + calls.statusText(status) + " (" +
                    status + ")", status, null);
            }
        }
    }
}
