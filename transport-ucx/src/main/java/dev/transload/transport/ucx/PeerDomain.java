/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.TransportException;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.ucx.ucp.UcpCalls;
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

    int ownRank()
    {
        return transport.identity().rank();
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

    /** All own memory is at hand; only adds may have to go by UCX even so. */
    boolean needsEndpoint()
    {
        return !(isOwn && isDirect && addsByCpu());
    }

    boolean addsByCpu()
    {
        return transport.addsByCpu();
    }

    boolean hasStrongFence()
    {
        return transport.context().library().versions().hasStrongFence();
    }

    ByteBuffer ownTarget()
    {
        return transport.target().address();
    }

    Endpoint connect(
        final UcxWorker worker,
        final PeerIdentity identity,
        final ByteBuffer target,
        final EndpointFailure listener)
    {
        return new Endpoint(calls(), transport.endpoints().connect(worker.ucp(), identity, target,
            (status, text) -> listener.onFailed("its endpoint broke", status)),
            transport.endpoints().handlesErrors(identity), worker::drive);
    }

    String words(final String what, final int status)
    {
        return transport.endpoints().words(what, status);
    }

    boolean isPeerFailure(final int status)
    {
        return NO_MEMORY != status && INVALID_PARAMETER != status && UNSUPPORTED != status;
    }

    /** From any thread: the transport's other connections to the peer end, too. */
    void report(final PeerIdentity identity, final String how, final int status)
    {
        if (!isOwn && isPeerFailure(status))
        {
            transport.agent().reportFailed(identity.transportId(), how, status, null);
        }
        else if (!isPeerFailure(status))
        {
            LOG.error("transport ucx: rank {} to {}: {}", ownRank(), identity.describe(), how);
        }
    }

    /** Memory of the peer cannot be mapped: said once, since it is slower by far where it could have been. */
    void reportIndirect(final PeerIdentity identity, final int status)
    {
        if (!isReported && transport.context().selection().hasSharedMemory())
        {
            isReported = true;
            LOG.info("transport ucx: memory of {} is reached by operations of UCX, not directly: {}",
                identity.describe(), words("ucp_rkey_ptr", status));
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
