/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import org.agrona.collections.IntHashSet;

/** One stream that a peer sends to us, since its greeting. */
final class InboundStream
{
    private final long peer;
    private final IntHashSet broken = new IntHashSet();
    private boolean revoked;

    InboundStream(final long peer)
    {
        this.peer = peer;
    }

    /** Transport id of the peer. */
    long peer()
    {
        return peer;
    }

    boolean isRevoked()
    {
        return revoked;
    }

    void revoke()
    {
        revoked = true;
    }

    boolean isBroken(final int channel)
    {
        return broken.contains(channel);
    }

    /** After an operation that cannot be applied no later one of its channel is. */
    void breakChannel(final int channel)
    {
        broken.add(channel);
    }
}
