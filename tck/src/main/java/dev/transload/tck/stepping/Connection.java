/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportException;

/** A channel's way from the handshake to the failure of its peer. */
final class Connection
{
    private static final long NEVER = Long.MAX_VALUE;

    private final SteppingTransport transport;
    private final SteppingFabric fabric;
    private final Descriptors address;
    private final int peer;
    private final long incarnation;
    private final long connectsAt;
    private SteppingTransport remote;
    private long failsAt = NEVER;
    private String failsBecause;
    private TransportException failure;

    Connection(
        final SteppingTransport transport, final int peer, final long incarnation, final Descriptors address)
    {
        this.transport = transport;
        this.fabric = transport.fabric();
        this.peer = peer;
        this.incarnation = incarnation;
        this.address = address;
        this.connectsAt = fabric.notBefore() + 1;
    }

    int peer()
    {
        return peer;
    }

    boolean isConnected()
    {
        return null != remote && !(fabric.has(Fault.FAIL_3) && null != failure);
    }

    boolean isToSelf()
    {
        return remote == transport;
    }

    boolean isTo(final SteppingTransport target)
    {
        if (fabric.has(Fault.FAIL_2))
        {
            return true;
        }

        return peer == target.rank() && incarnation == target.incarnation() &&
            transport.network() == target.network();
    }

    TransportException failure()
    {
        return failure;
    }

    /** The peer while it lives and is connected, else null. */
    SteppingTransport livingPeer()
    {
        return null == remote || remote.isGone() ? null : remote;
    }

    boolean isPeerMissing()
    {
        if (!transport.network().reaches(transport.rank(), peer) ||
            fabric.has(Fault.CON_4) && peer == transport.rank())
        {
            return true;
        }

        return null == found() || incarnation != address.incarnation() && !fabric.has(Fault.CON_3);
    }

    private SteppingTransport found()
    {
        return transport.network().living(peer, fabric.has(Fault.CON_3) ? address.incarnation() : incarnation);
    }

    String incarnationMissing()
    {
        return "it is not reached, or has no life with incarnation " + incarnation;
    }

    void handshake()
    {
        if (fabric.schedule().now() >= connectsAt && !isPeerMissing())
        {
            final SteppingTransport found = found();
            if (found.hasWorker(address.id()))
            {
                remote = found;
            }
        }
    }

    /** Returns true when the failure is news, and so has to be waited for. */
    boolean failLater(final String because)
    {
        if (NEVER != failsAt)
        {
            return false;
        }

        failsBecause = because;
        final int steps = fabric.options().livenessSteps();
        failsAt = fabric.schedule().now() + 1 + steps / 2 + fabric.chance().below(steps / 2 + 1);
        return true;
    }

    /** Returns true once there is nothing more to wait for. */
    boolean failIfDue()
    {
        if (null == failure && fabric.schedule().now() >= failsAt)
        {
            fail(fabric.has(Fault.FAIL_1) ?
                new TransportException("something failed", TransportException.NO_STATUS, null) :
                new PeerFailedException(peer, "transport " + transport.network().name() + " of rank " +
                transport.rank() + " lost rank " + peer + ": " + failsBecause, TransportException.NO_STATUS, null));
        }

        return null != failure;
    }

    void fail(final TransportException cause)
    {
        if (null == failure)
        {
            failure = cause;
        }
    }
}
