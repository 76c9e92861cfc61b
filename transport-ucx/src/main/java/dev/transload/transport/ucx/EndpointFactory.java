/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.ProcessIdentity;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.nio.ByteBuffer;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpWorker;

/** Makes endpoints to peers, with UCX's handling of errors wherever the ways to the peer have it. */
final class EndpointFactory
{
    private final UcpCalls calls;
    private final UcxOptions options;
    private final TransportSelection selection;
    private final ProcessIdentity own;

    /** Hears that an endpoint broke, while its worker is driven. */
    @FunctionalInterface
    interface ErrorListener
    {
        /**
         * It broke.
         *
         * @param status of UCX, negative.
         * @param text   a clause with UCX's words.
         */
        void onError(int status, String text);
    }

    EndpointFactory(
        final UcpCalls calls,
        final UcxOptions options,
        final TransportSelection selection,
        final ProcessIdentity own)
    {
        this.calls = calls;
        this.options = options;
        this.selection = selection;
        this.own = own;
    }

    /**
     * Whether UCX watches the connection to a peer. Its shared memory does not, and would be left out for one.
     *
     * @param peer of an endpoint.
     * @return whether UCX reports errors, and can close the endpoint by force.
     */
    boolean handlesErrors(final PeerIdentity peer)
    {
        return handlesErrors(peer.process());
    }

    /** As {@link #handlesErrors(PeerIdentity)}, of endpoints within this process. */
    boolean handlesErrorsWithin()
    {
        return handlesErrors(own);
    }

    /**
     * Make an endpoint; it may still be on its way when this returns.
     *
     * @param worker   that it belongs to.
     * @param peer     that it leads to.
     * @param address  of the peer's worker, in direct memory.
     * @param listener of errors.
     * @return the endpoint.
     * @throws org.openucx.jucx.UcxException when the peer is out of reach.
     */
    UcpEndpoint connect(
        final UcpWorker worker, final PeerIdentity peer, final ByteBuffer address, final ErrorListener listener)
    {
        return connect(worker, peer.process(), address, listener);
    }

    /** As {@link #connect}, to a worker of this process. */
    UcpEndpoint connectWithin(final UcpWorker worker, final ByteBuffer address, final ErrorListener listener)
    {
        return connect(worker, own, address, listener);
    }

    UcpCalls calls()
    {
        return calls;
    }

    /** A clause that says what UCX answered. */
    String words(final String what, final int status)
    {
        return what + ": " + calls.statusText(status) + " (" + status + ")" + (UcpCalls.CANCELED == status ?
            ", without a cause: UCX may log one with UCX_LOG_LEVEL=diag" : "");
    }

    private boolean handlesErrors(final ProcessIdentity process)
    {
        return switch (options.errorHandling())
        {
            case UcxOptions.PEER -> true;
            case UcxOptions.NONE -> false;
            default -> !(selection.hasSharedMemory() && own.sharesHostWith(process));
        };
    }

    private UcpEndpoint connect(
        final UcpWorker worker, final ProcessIdentity process, final ByteBuffer address, final ErrorListener listener)
    {
        calls.bind();
        final UcpEndpointParams params = new UcpEndpointParams().setUcpAddress(address).setErrorHandler(
            (endpoint, status, message) -> listener.onError(status, words("its endpoint broke", status)));
        return worker.newEndpoint(handlesErrors(process) ? params.setPeerErrorHandlingMode() : params);
    }
}
