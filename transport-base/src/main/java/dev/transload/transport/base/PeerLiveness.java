/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.util.concurrent.TimeUnit;

/** Decides when a peer has failed, and describes how the failure was noticed. */
public final class PeerLiveness
{
    private static final long CONNECT_MIN_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long HEARTBEAT_MAX_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long HEARTBEAT_MIN_NS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long HEARTBEATS_PER_TIMEOUT = 10;

    private final ProcessIdentity own;
    private final long timeoutNs;
    private final long connectTimeoutNs;
    private final long heartbeatNs;

    /**
     * Creates a liveness check with a timeout.
     *
     * @param own       process of this rank.
     * @param timeoutNs longest allowed time between heartbeats of a peer, in nanoseconds.
     */
    public PeerLiveness(final ProcessIdentity own, final long timeoutNs)
    {
        this.own = own;
        this.timeoutNs = timeoutNs;
        this.connectTimeoutNs = Math.max(timeoutNs, CONNECT_MIN_NS);
        this.heartbeatNs =
            Math.max(HEARTBEAT_MIN_NS, Math.min(HEARTBEAT_MAX_NS, timeoutNs / HEARTBEATS_PER_TIMEOUT));
    }

    /**
     * Returns the time between two heartbeats: a tenth of the timeout, limited to [100 us, 250 ms].
     *
     * @return interval in nanoseconds.
     */
    public long heartbeatNs()
    {
        return heartbeatNs;
    }

    /**
     * Checks whether a peer has failed.
     *
     * @param peer      process of the peer.
     * @param wasHeard  true if a message of the peer has been received.
     * @param silenceNs nanoseconds since the last message of the peer, or since the first connection attempt if no
     *                  message has been received.
     * @return null if the peer is alive, otherwise a clause that describes how the failure was noticed.
     */
    public String verdict(final ProcessIdentity peer, final boolean wasHeard, final long silenceNs)
    {
        if (silenceNs <= 2 * heartbeatNs)
        {
            return null;
        }

        // Looked up only once heartbeats are missing: a lookup costs more than a heartbeat.
        if (own.canSee(peer) && peer.isGone())
        {
            return "its process " + peer.pid() + " is gone";
        }

        final long allowedNs = wasHeard ? timeoutNs : connectTimeoutNs;
        if (silenceNs <= allowedNs)
        {
            return null;
        }

        return (wasHeard ? "no sign of life for " : "no answer within ") +
            TimeUnit.NANOSECONDS.toMillis(silenceNs) + " ms, allowed are " +
            TimeUnit.NANOSECONDS.toMillis(allowedNs) + " ms";
    }
}
