/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.util.concurrent.TimeUnit;

/** When a peer counts as dead, and how that was noticed. */
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
     * With a deadline.
     *
     * @param own       process.
     * @param timeoutNs without a sign of life.
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
     * Time between two signs of life: a tenth of the deadline, in [100 us, 250 ms].
     *
     * @return nanoseconds.
     */
    public long heartbeatNs()
    {
        return heartbeatNs;
    }

    /**
     * Judge a peer.
     *
     * @param peer      process of the peer.
     * @param wasHeard  whether it has ever been heard.
     * @param silenceNs since it was last heard, or since it was first called.
     * @return null, or a clause that says how its death was noticed.
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
