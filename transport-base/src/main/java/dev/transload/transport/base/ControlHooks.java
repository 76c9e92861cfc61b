/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Callbacks through which the control plane calls a transport. The transport's thread calls all methods. The methods
 * must not block, and they report failed peers with {@link ControlAgent#reportFailed}.
 */
public interface ControlHooks
{
    /**
     * Returns whether channels may connect to a worker.
     *
     * @param worker index of the worker.
     * @return true if the worker is open.
     */
    boolean isOpen(int worker);

    /**
     * Prepares for the operations of a channel that a peer wants to connect. Operations may arrive as soon as the
     * channel is accepted.
     *
     * @param peer    peer that requests the channel.
     * @param worker  index of the worker that the peer wants to reach.
     * @param service number sent by the peer's channel; see {@link AbstractChannel#service()}.
     * @param ready   callback to call once, now or later, on the transport's thread. The callback accepts the channel,
     *                and sends the bytes of its argument to the peer's {@link AbstractChannel#onAccepted}. If the
     *                callback is never called, the channel does not connect, and the waiting thread at the peer reaches
     *                its timeout.
     */
    default void prepare(
        final PeerIdentity peer, final int worker, final int service, final Consumer<ByteBuffer> ready)
    {
        ready.accept(ByteBuffer.allocate(0));
    }

    /**
     * Processes inbound operations once, after control messages have been handled.
     *
     * @return amount of work done. If the amount is positive, the thread does not sleep.
     */
    default int pollInbound()
    {
        return 0;
    }

    /**
     * Does other periodic work of the transport once.
     *
     * @return amount of work done, 0 if there was none.
     */
    default int doWork()
    {
        return 0;
    }

    /**
     * Returns whether a running operation needs another {@link ControlMedium#drive()} soon.
     *
     * @return true if the thread must not sleep for long.
     */
    default boolean isBusy()
    {
        return false;
    }

    /**
     * Does infrequent checks and retries. This method is called once per heartbeat interval, unless the thread was
     * delayed.
     */
    default void onHeartbeat()
    {
    }

    /**
     * This method is called when a peer has failed. The failure is final. The transport must not apply operations of
     * the peer after this call. The channels to the peer fail immediately after this call, so they no longer give
     * access to the memory of the peer. The process of the peer may still exist, for example because it was only
     * suspended. The transport cannot prevent that such a process stores directly into memory that it has mapped from
     * this rank. A peer is checked for liveness only if a channel connects the peer and this rank, in either direction.
     *
     * @param peer peer that failed.
     */
    default void onPeerFailed(final PeerIdentity peer)
    {
    }

    /**
     * This method is called when a peer has closed its transport normally. The channels to the peer have already
     * failed.
     *
     * @param peer peer that left.
     */
    default void onPeerLeft(final PeerIdentity peer)
    {
    }
}
