/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until something listens where rank 0 is expected. A refused connection of a plain socket costs next to nothing,
 * so that ranks that came early leave the processor to rank 0, which is still starting.
 */
final class SeedProbe
{
    private static final int CONNECT_TIMEOUT_MS = 1_000;
    private static final long FIRST_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private SeedProbe()
    {
    }

    /** Returns when one of the door's targets accepts, or at the deadline. */
    static void awaitListener(final SeedDiscovery.Door door)
    {
        long intervalNs = FIRST_INTERVAL_NS;
        while (!door.isSeed() && !isOpen(door) && door.deadlineNs() - System.nanoTime() > 0 &&
            !Thread.currentThread().isInterrupted())
        {
            LockSupport.parkNanos(Math.min(intervalNs, door.deadlineNs() - System.nanoTime()));
            intervalNs = Math.min(intervalNs + intervalNs / 4, MAX_INTERVAL_NS);
        }
    }

    private static boolean isOpen(final SeedDiscovery.Door door)
    {
        return door.targets().get().stream().anyMatch(SeedProbe::accepts);
    }

    private static boolean accepts(final InetSocketAddress target)
    {
        try (Socket socket = new Socket())
        {
            socket.connect(target, CONNECT_TIMEOUT_MS);
            return true;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }
}
