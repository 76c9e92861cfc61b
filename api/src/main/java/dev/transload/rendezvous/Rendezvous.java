/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * A complete world in which every rank is present exactly once. The factory of an implementation forms the world. The
 * factory throws a {@link RendezvousException} if ranks are missing, are present twice or have another world size.
 * Thread-safe; its methods are not for the hot path.
 */
public interface Rendezvous extends AutoCloseable
{
    /** Largest size of an announcement, in bytes. */
    int MAX_ANNOUNCEMENT_BYTES = 64 * 1024;

    /**
     * Returns this rank.
     *
     * @return rank in [0, {@link #worldSize()}).
     */
    int rank();

    /**
     * Returns the number of ranks.
     *
     * @return world size.
     */
    int worldSize();

    /**
     * Returns a member of the world, even if it has been lost.
     *
     * @param rank rank in [0, {@link #worldSize()}).
     * @return description of the member as of the time when the world was formed.
     */
    Member member(int rank);

    /**
     * Exchanges bytes between all ranks: every rank contributes bytes under a topic and receives the bytes of all
     * ranks. A topic can be used only once in a world. Ranks may call this method at any time up to the timeout. The
     * contribution of a rank that is lost afterwards still counts.
     *
     * @param topic   name of this exchange, equal on all ranks.
     * @param mine    contribution of this rank, which is copied before this method returns. The contribution may be
     *                empty, and lengths may differ between ranks.
     * @param timeout longest wait for all ranks. If this time passes, an exception names the missing ranks.
     * @return read-only buffers by rank, including this rank.
     * @throws RendezvousException      with {@code MISSING_RANKS}, {@code MEMBER_LOST} (also if a rank closed its
     *                                  rendezvous before it contributed) or {@code CLOSED}.
     * @throws IllegalArgumentException if this rank has already used the topic.
     */
    List<ByteBuffer> allGather(String topic, ByteBuffer mine, Duration timeout);

    /**
     * Sends a message to all other ranks, e.g. the reason why this rank stops. Messages of one sender arrive in order,
     * but delivery is not guaranteed.
     *
     * @param message message of at most {@link #MAX_ANNOUNCEMENT_BYTES}, which is copied before this method returns.
     * @throws IllegalArgumentException if the message is longer.
     * @throws RendezvousException      with {@code CLOSED}.
     */
    void announce(ByteBuffer message);

    /**
     * Registers a listener for lost members and announcements. Events that happened before are reported at once, so
     * that the listener misses no event.
     *
     * @param listener listener, called until {@link #close()}.
     * @throws RendezvousException with {@code CLOSED}.
     */
    void listen(RendezvousListener listener);

    /**
     * Leaves the world in good order. Contributions and announcements of this rank still arrive, and the other ranks'
     * listeners are not informed of a loss. A rank that stops because of a failure announces it first. Idempotent.
     */
    @Override
    void close();
}
