/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.nio.ByteBuffer;

/**
 * Listener for events of a world. A thread of the rendezvous calls the listener, so its methods must return quickly and
 * never block.
 */
public interface RendezvousListener
{
    /**
     * Called if a member is lost: its process ended, its connection was reset, or the failure detector reported it.
     * Called at most once for each process.
     *
     * @param member member that was lost.
     * @param loss   how certain it is that the member has ended.
     * @param reason reason in a few words, e.g. {@code its connection was reset}.
     */
    void onMemberLost(Member member, Loss loss, String reason);

    /**
     * Called if a new process has joined the world in the place of a lost one. Later announcements of this rank are
     * those of the new process.
     *
     * @param member new process of the rank.
     */
    default void onMemberReturned(final Member member)
    {
    }

    /**
     * Called if another rank made an announcement.
     *
     * @param rank    rank that made the announcement.
     * @param message read-only bytes that the rank passed to {@link Rendezvous#announce}.
     */
    void onAnnouncement(int rank, ByteBuffer message);
}
