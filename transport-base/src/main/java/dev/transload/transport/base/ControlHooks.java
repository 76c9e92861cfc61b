/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * What a transport adds to its control plane. All methods are called on the transport's thread, never block, and report
 * peers that they find to have failed by {@link ControlAgent#reportFailed}.
 */
public interface ControlHooks
{
    /**
     * Whether channels may lead to a worker.
     *
     * @param worker index.
     * @return whether it is open.
     */
    boolean isOpen(int worker);

    /**
     * Prepare for the operations of a channel that a peer asks for: they may come as soon as it is accepted.
     *
     * @param peer    that asks.
     * @param worker  index of the worker that it wants to reach.
     * @param service what the peer's channel said of itself, see {@link AbstractChannel#service()}.
     * @param ready   to be called once, now or later, on this thread: it accepts the channel, and carries the bytes to
     *                the peer's {@link AbstractChannel#onAccepted}. When that never happens, the peer waits until its
     *                caller gives up.
     */
    default void prepare(
        final PeerIdentity peer, final int worker, final int service, final Consumer<ByteBuffer> ready)
    {
        ready.accept(ByteBuffer.allocate(0));
    }

    /**
     * A round of inbound work, after control messages have been handled.
     *
     * @return work done; while there is any, the thread stays awake a while.
     */
    default int pollInbound()
    {
        return 0;
    }

    /**
     * A round of other work.
     *
     * @return work done.
     */
    default int doWork()
    {
        return 0;
    }

    /**
     * Whether something is under way that needs {@link ControlMedium#drive()} soon.
     *
     * @return whether the thread must not sleep for long.
     */
    default boolean isBusy()
    {
        return false;
    }

    /** Once between two heartbeats, unless this thread was held up: a look at what changes seldom, or heals itself. */
    default void onHeartbeat()
    {
    }

    /**
     * A peer has failed, which is final: nothing of it may be applied any more, and its memory is gone. Its channels
     * fail right after this. Its process may only have been stopped: it may still store into memory of this rank that
     * it has imported. Only peers with a channel, in either direction, are judged.
     *
     * @param peer that failed.
     */
    default void onPeerFailed(final PeerIdentity peer)
    {
    }

    /**
     * A peer has closed its transport in order. Its channels have failed already.
     *
     * @param peer that left.
     */
    default void onPeerLeft(final PeerIdentity peer)
    {
    }
}
