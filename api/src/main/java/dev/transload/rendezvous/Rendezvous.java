/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * A formed world: every rank is present, no rank twice. Implementations form the world in their factory, which throws
 * {@link RendezvousException} when ranks are missing, doubled or of another world size. Thread-safe; not a hot path.
 */
public interface Rendezvous extends AutoCloseable
{
    /** Longest announcement, in bytes. */
    int MAX_ANNOUNCEMENT_BYTES = 64 * 1024;

    /**
     * Own rank.
     *
     * @return rank in [0, {@link #worldSize()}).
     */
    int rank();

    /**
     * Number of ranks.
     *
     * @return world size.
     */
    int worldSize();

    /**
     * A member of the world, lost or not.
     *
     * @param rank in [0, {@link #worldSize()}).
     * @return what is known of it since the world formed.
     */
    Member member(int rank);

    /**
     * Every rank gives bytes under a topic, every rank gets all of them. A topic is used once in the life of a world;
     * ranks may be arbitrarily far apart in time, up to the timeout. What a rank gave before it was lost still counts.
     *
     * @param topic   which names this exchange, equal on all ranks.
     * @param mine    own contribution, copied before return; may be empty and differ in length from others.
     * @param timeout after which missing ranks are named in the exception.
     * @return read-only buffers by rank, own included.
     * @throws RendezvousException      with {@code MISSING_RANKS}, {@code MEMBER_LOST} (also when a rank closed its
     *                                  rendezvous instead) or {@code CLOSED}.
     * @throws IllegalArgumentException when this rank used the topic before.
     */
    List<ByteBuffer> allGather(String topic, ByteBuffer mine, Duration timeout);

    /**
     * Tell all other ranks, best effort, in order per sender; e.g. that this rank gives up and why.
     *
     * @param message at most {@link #MAX_ANNOUNCEMENT_BYTES}, copied before return.
     * @throws IllegalArgumentException when it is longer.
     * @throws RendezvousException      with {@code CLOSED}.
     */
    void announce(ByteBuffer message);

    /**
     * Hear of lost members and announcements. What happened before is told at once, so nothing is missed.
     *
     * @param listener to call until {@link #close()}.
     * @throws RendezvousException with {@code CLOSED}.
     */
    void listen(RendezvousListener listener);

    /**
     * Leave the world orderly: what this rank gave and announced still arrives, and the others' listeners are not told
     * of a loss. A rank that gives up announces it first. Idempotent.
     */
    @Override
    void close();
}
