/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.base.ControlMedium;
import dev.transload.transport.base.ControlStream;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucs.UcsConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Control messages as active messages of UCX, on a worker of their own which only the transport's thread drives. So
 * they take the same ways as the data, and ask for no port and no address besides.
 */
final class ActiveMessages implements ControlMedium
{
    /** Id of the messages; the worker receives no others. */
    static final int MESSAGE_ID = 1;

    private static final Logger LOG = LoggerFactory.getLogger(ActiveMessages.class);
    private static final long CLOSE_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final UcpCalls calls;
    private final UcpWorker worker;
    private final EndpointFactory endpoints;
    private final long handle;
    private final ArrayDeque<DirectBuffer> received = new ArrayDeque<>();
    private final List<ActiveMessageStream> streams = new ArrayList<>();
    private FailureListener listener;
    private volatile boolean isClosed;

    /** Hears of endpoints that broke. */
    @FunctionalInterface
    interface FailureListener
    {
        void onFailed(PeerIdentity peer, String how, int nativeStatus);
    }

    ActiveMessages(final UcpCalls calls, final UcpWorker worker, final EndpointFactory endpoints)
    {
        this.calls = calls;
        this.worker = worker;
        this.endpoints = endpoints;
        this.handle = worker.getNativeId();
        worker.setAmRecvHandler(MESSAGE_ID, (header, headerLength, data, reply) -> onReceived(data));
    }

    /** Before the first stream is opened. */
    void listener(final FailureListener hears)
    {
        listener = hears;
    }

    /** Where peers send messages to, as UCX packed it. */
    ByteBuffer address()
    {
        return worker.getAddress();
    }

    @Override
    public int drive()
    {
        return calls.progress(handle);
    }

    @Override
    public int poll(final MessageHandler handler, final int limit)
    {
        int count = 0;
        while (count < limit && !received.isEmpty())
        {
            final DirectBuffer message = received.poll();
            handler.onMessage(message, 0, message.capacity());
            count++;
        }

        return count;
    }

    @Override
    public ControlStream open(final PeerIdentity peer)
    {
        final UcpEndpoint endpoint = endpoints.connect(worker, peer, MemoryKey.direct(peer.contact()),
            (status, text) -> listener.onFailed(peer, text, status));
        final ActiveMessageStream stream = new ActiveMessageStream(calls, endpoint, endpoints.handlesErrors(peer));
        streams.add(stream);
        return stream;
    }

    @Override
    public boolean isClosed()
    {
        return isClosed;
    }

    @Override
    public String closedReason()
    {
        return "its worker of UCX is closed";
    }

    @Override
    public void close()
    {
        isClosed = true;
        streams.forEach(ActiveMessageStream::close);
        driveUntil(() -> streams.stream().allMatch(ActiveMessageStream::isFlushed));
        final List<Long> ends = streams.stream().map(ActiveMessageStream::end).filter((end) -> end > 0).toList();
        driveUntil(() -> ends.stream().allMatch((end) -> UcpCalls.IN_PROGRESS != calls.requestStatus(end)));
        ends.forEach(calls::requestFree);
        calls.bind();
        worker.close();
    }

    private void driveUntil(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + CLOSE_NS;
        while (!condition.getAsBoolean() && System.nanoTime() - deadlineNs < 0)
        {
            calls.progress(handle);
        }
    }

    /** Called by UCX while the worker is driven: an exception would go through native code. */
    private int onReceived(final UcpAmData data)
    {
        try
        {
            final byte[] bytes = new byte[(int)data.getLength()];
            if (data.isDataValid())
            {
                UcxUtils.getByteBufferView(data.getDataAddress(), bytes.length).get(bytes);
                received.add(new UnsafeBuffer(bytes));
            }
            else
            {
                LOG.warn("a control message of {} bytes did not come at once: it is ignored", bytes.length);
            }
        }
        catch (final RuntimeException ex)
        {
            LOG.error("a control message was lost: {}", ex.getMessage(), ex);
        }

        return UcsConstants.STATUS.UCS_OK;
    }
}
