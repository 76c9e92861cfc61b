/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportException;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a transport deals with one peer: which ways lead to its memory, and what becomes of a failure. */
final class PeerDomain
{
    private static final Logger LOG = LoggerFactory.getLogger(PeerDomain.class);

    /** Statuses of UCX that tell of a mistake or a lack here, not of the peer. */
    private static final int NO_MEMORY = -4;
    private static final int INVALID_PARAMETER = -5;
    private static final int UNSUPPORTED = -22;

    private final UcxTransport transport;
    private final PeerIdentity peer;
    private final boolean isOwn;
    private final boolean isDirect;
    private volatile boolean isReported;
    private volatile boolean isAnswering = true;

    PeerDomain(final UcxTransport transport, final PeerIdentity peer)
    {
        this.transport = transport;
        this.peer = peer;
        this.isOwn = transport.identity().isSame(peer);
        this.isDirect = transport.options().direct() &&
            (isOwn || transport.identity().process().sharesHostWith(peer.process()));
    }

    UcpCalls calls()
    {
        return transport.context().calls();
    }

    int maxOperations()
    {
        return transport.options().maxOperations();
    }

    boolean isOwn()
    {
        return isOwn;
    }

    /** Whether memory of the peer may be mapped into this process, as far as UCX can. */
    boolean isDirect()
    {
        return isDirect;
    }

    /** Whether it makes sense to wait for the peer when a channel is closed: each may wait half a second. */
    boolean isAnswering()
    {
        return isAnswering;
    }

    /** What came of waiting: where it was in vain, the next channel does not wait. */
    boolean noteAnswer(final boolean hasAnswered)
    {
        isAnswering = hasAnswered;
        return hasAnswered;
    }

    /** All own memory of the host is at hand; only adds may have to go by UCX even so, and memory of a device. */
    boolean needsEndpoint()
    {
        return !(isOwn && isDirect && addsByCpu()) || transport.context().device().isPresent();
    }

    boolean addsByCpu()
    {
        return transport.addsByCpu();
    }

    /** Whether UCX may be asked to add; else signals are written. */
    boolean addsByUcx()
    {
        return transport.addsByUcx();
    }

    ByteBuffer ownTarget()
    {
        return transport.target().address();
    }

    /**
     * Make an endpoint for a channel.
     *
     * @param worker   that it belongs to.
     * @param target   address of the peer's worker, in direct memory.
     * @param listener of errors.
     * @return the endpoint.
     * @throws org.openucx.jucx.UcxException when the peer is out of reach.
     */
    Endpoint connect(final UcxWorker worker, final ByteBuffer target, final EndpointFailure listener)
    {
        final EndpointFactory endpoints = transport.endpoints();
        isAnswering = true;
        return new Endpoint(calls(), endpoints.connect(worker.ucp(), peer, target,
            (status, text) -> listener.onFailed("its endpoint broke", status)),
            endpoints.handlesErrors(peer), maxOperations(), worker::drive);
    }

    /**
     * What a channel fails with. The transport's other connections to the peer end, too, where it is the peer's fault.
     *
     * @param what   did not work: a clause.
     * @param status of UCX, negative.
     * @return the failure.
     */
    TransportException failure(final String what, final int status)
    {
        final String how = transport.endpoints().words(what, status);
        final String message = "transport ucx: " + peer.describe() + " failed as seen by rank " +
            transport.identity().rank() + ": " + how;
        if (isOwn || NO_MEMORY == status || INVALID_PARAMETER == status || UNSUPPORTED == status)
        {
            LOG.error(message);
            return new TransportException(message, status, null);
        }

        transport.agent().reportFailed(peer.transportId(), how, status, null);
        return new PeerFailedException(peer.rank(), peer.incarnation(), message, status, null);
    }

    /** Memory of the peer cannot be mapped: said once, since it is slower by far where it could have been. */
    void reportIndirect(final int status)
    {
        if (!isReported && transport.context().selection().hasSharedMemory())
        {
            isReported = true;
            LOG.info("transport ucx: memory of {} is reached by operations of UCX, not directly: {}",
                peer.describe(), transport.endpoints().words("ucp_rkey_ptr", status));
        }
    }

    /** Hears that an endpoint broke. */
    @FunctionalInterface
    interface EndpointFailure
    {
        /**
         * It broke.
         *
         * @param what   a clause.
         * @param status of UCX, or {@link TransportException#NO_STATUS}.
         * @return status that an operation under way answers.
         */
        long onFailed(String what, int status);
    }

    @Override
    public String toString()
    {
        return peer.describe();
    }
}
