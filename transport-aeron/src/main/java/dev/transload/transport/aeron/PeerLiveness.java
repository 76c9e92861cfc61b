/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.util.concurrent.TimeUnit;

/** When a peer counts as dead, and how that was noticed. */
final class PeerLiveness
{
    private static final long CONNECT_MIN_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long HEARTBEAT_MAX_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long HEARTBEAT_MIN_NS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long HEARTBEATS_PER_TIMEOUT = 10;

    private final PeerIdentity own;
    private final long timeoutNs;
    private final long connectTimeoutNs;
    private final long heartbeatNs;

    PeerLiveness(final PeerIdentity own, final long timeoutNs)
    {
        this.own = own;
        this.timeoutNs = timeoutNs;
        this.connectTimeoutNs = Math.max(timeoutNs, CONNECT_MIN_NS);
        this.heartbeatNs =
            Math.max(HEARTBEAT_MIN_NS, Math.min(HEARTBEAT_MAX_NS, timeoutNs / HEARTBEATS_PER_TIMEOUT));
    }

    long heartbeatNs()
    {
        return heartbeatNs;
    }

    /**
     * Judge a peer.
     *
     * @param link  to the peer.
     * @param nowNs now.
     * @return null, or a clause that says how its death was noticed.
     */
    String verdict(final PeerLink link, final long nowNs)
    {
        final long silenceNs = nowNs - link.lastHeardNs();
        if (silenceNs <= 2 * heartbeatNs)
        {
            return null;
        }

        // Looked up only once heartbeats are missing: a lookup costs more than a heartbeat.
        if (PeerProcess.isVisible(own, link.identity()) && PeerProcess.isGone(link.identity()))
        {
            return "its process " + link.identity().pid() + " is gone";
        }

        final long allowedNs = link.wasHeard() ? timeoutNs : connectTimeoutNs;
        if (silenceNs <= allowedNs)
        {
            return null;
        }

        return (link.wasHeard() ? "no sign of life for " : "no answer within ") +
            TimeUnit.NANOSECONDS.toMillis(silenceNs) + " ms, allowed are " +
            TimeUnit.NANOSECONDS.toMillis(allowedNs) + " ms";
    }
}
