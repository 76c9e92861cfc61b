/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A complete world in which every rank is present exactly once. The factory method of an implementation forms the
 * world. It throws a {@link RendezvousException} if ranks are missing or present twice, or if their world sizes differ.
 * Thread-safe. The methods are not for the hot path.
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
     * @return description of the rank's latest process in this world.
     */
    Member member(int rank);

    /**
     * Returns whether this process has joined a formed world in the place of a lost process of its rank. A listener of
     * this process is told which other ranks are lost. Contributions that other ranks made before this process joined
     * may be missing.
     *
     * @return false if the world was formed with this process. An implementation whose worlds do not readmit processes
     *         always returns false.
     */
    default boolean hasReturned()
    {
        return false;
    }

    /**
     * Exchanges bytes between all ranks: every rank contributes bytes under a topic and receives the bytes of all
     * ranks. A topic can be used only once in a world. The ranks need not call this method at the same time: each rank
     * waits for the other ranks up to the timeout. If a rank is lost after it has contributed, its contribution still
     * counts, unless a new process of this rank joins before the exchange ends: then only the new process counts.
     *
     * @param topic   name of this exchange, equal on all ranks.
     * @param mine    contribution of this rank, which is copied before this method returns. The contribution may be
     *                empty, and lengths may differ between ranks.
     * @param timeout longest wait for all ranks. If this time passes, an exception names the missing ranks.
     * @return contributions of all ranks, including this rank, as read-only buffers in the order of ranks.
     * @throws RendezvousException      with {@code MISSING_RANKS} if the timeout passes, {@code MEMBER_LOST} if a rank
     *                                  is lost or closes its rendezvous before it contributes, or {@code CLOSED} if
     *                                  this rendezvous is closed or the calling thread is interrupted.
     * @throws IllegalArgumentException if this rank has already used the topic.
     */
    default List<ByteBuffer> allGather(final String topic, final ByteBuffer mine, final Duration timeout)
    {
        return allGather(topic, mine, timeout, IntStream.range(0, worldSize()).mapToObj(this::member).toList());
    }

    /**
     * Exchanges bytes between some of the members, e.g. the members that are left after a loss. This method is
     * otherwise like {@link #allGather(String, ByteBuffer, Duration)}: it neither waits for other ranks, nor fails if
     * another rank is lost. It fails with {@code MEMBER_LOST} if a new process has taken the place of one of these
     * members.
     *
     * @param topic   name of this exchange, equal on these ranks.
     * @param mine    contribution of this rank.
     * @param timeout longest wait for these members.
     * @param members members that take part, ascending by rank and equal on all of them, including this rank.
     * @return contributions as read-only buffers, in the order of {@code members}.
     */
    List<ByteBuffer> allGather(String topic, ByteBuffer mine, Duration timeout, List<Member> members);

    /**
     * Sends a message to all other ranks, e.g. the reason why this rank stops. Messages of one sender arrive in order,
     * but delivery is not guaranteed.
     *
     * @param message message of at most {@link #MAX_ANNOUNCEMENT_BYTES}, which is copied before this method returns.
     * @throws IllegalArgumentException if the message is longer.
     * @throws RendezvousException      with {@code CLOSED} if this rendezvous is closed.
     */
    void announce(ByteBuffer message);

    /**
     * Registers a listener for lost members and announcements. Earlier events are reported at once, so that the
     * listener misses no event.
     *
     * @param listener listener, called until {@link #close()}.
     * @throws RendezvousException with {@code CLOSED} if this rendezvous is closed.
     */
    void listen(RendezvousListener listener);

    /**
     * Ends this rank's membership in the world without counting as a loss. Contributions and announcements that this
     * rank has made still arrive, and the listeners of the other ranks are not informed of a loss. A rank that stops
     * because of a failure should announce the failure before it calls this method. Idempotent.
     */
    @Override
    void close();
}
