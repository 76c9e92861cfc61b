/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * Which world the launcher wants a rank to be in, if it starts lost ranks again. One thread reads orders, the rank's
 * own one follows them.
 */
final class Orders
{
    private int world;
    private boolean isEnd;
    private Thread joining;

    /** Orders of a rank that begins in this world. */
    Orders(final int world)
    {
        this.world = world;
    }

    /** All ranks meet in a later world. A rank that still waits for an earlier one to form gives that up. */
    synchronized void join(final int later)
    {
        world = Math.max(world, later);
        if (null != joining)
        {
            joining.interrupt();
        }

        notifyAll();
    }

    /** Whether there is a later world than that. */
    synchronized boolean isOver(final int own)
    {
        return world > own;
    }

    /** All ranks are done. */
    synchronized void end()
    {
        isEnd = true;
        notifyAll();
    }

    /**
     * Wait for the next order.
     *
     * @param than world that this rank was in.
     * @return a later one, or empty if all ranks are done.
     */
    synchronized OptionalInt awaitNext(final int than) throws InterruptedException
    {
        while (!isEnd && world <= than)
        {
            wait();
        }

        return isEnd ? OptionalInt.empty() : OptionalInt.of(world);
    }

    /**
     * Join a world, unless there is a later one, or until there is.
     *
     * @param own  number of the world.
     * @param join throws if its thread is interrupted.
     * @return what it gave.
     * @throws RendezvousException if there is a later world.
     */
    Rendezvous joining(final int own, final Supplier<Rendezvous> join)
    {
        synchronized (this)
        {
            if (world > own)
            {
                throw new RendezvousException(
                    RendezvousException.Reason.CLOSED, "world " + own + " is over: the ranks meet in world " + world);
            }

            joining = Thread.currentThread();
        }

        try
        {
            return join.get();
        }
        finally
        {
            synchronized (this)
            {
                joining = null;
                // It was the rendezvous that this was meant for.
                Thread.interrupted();
            }
        }
    }
}
