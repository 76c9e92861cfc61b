/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.nio.ByteBuffer;

/** Told of what happens in the world; called on a thread of the rendezvous, so it must be quick and never block. */
public interface RendezvousListener
{
    /**
     * A member is gone, by its process's end, a reset connection or the failure detector. Told once a member.
     *
     * @param member which was lost.
     * @param loss   what is known of it.
     * @param reason one clause, e.g. {@code its connection was reset}.
     */
    void onMemberLost(Member member, Loss loss, String reason);

    /**
     * Another rank announced something.
     *
     * @param rank    of the sender.
     * @param message read-only bytes as given to {@link Rendezvous#announce}.
     */
    void onAnnouncement(int rank, ByteBuffer message);
}
