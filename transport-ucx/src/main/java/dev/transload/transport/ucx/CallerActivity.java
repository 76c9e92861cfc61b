/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * Whether callers drive what the transport's thread would drive for them. It keeps away from what they drive: on few
 * cores it would be put to sleep with the worker in its hands, and callers would find that taken until it runs again.
 */
final class CallerActivity
{
    /** Callers that have not been seen for so long are idle. */
    static final long IDLE_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private static final VarHandle TURNS;

    private final NanoClock clock;
    private long turns;
    private long turnsSeen;
    private long seenNs;

    static
    {
        try
        {
            TURNS = MethodHandles.lookup().findVarHandle(CallerActivity.class, "turns", long.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    CallerActivity(final NanoClock clock)
    {
        this.clock = clock;
        this.seenNs = clock.nanoTime() - IDLE_NS;
    }

    /** Callers' threads: one is at it. Two at the same time may count once, which is enough to be seen. */
    void onTurn()
    {
        TURNS.setOpaque(this, (long)TURNS.getOpaque(this) + 1);
    }

    /** The transport's thread alone: whether no caller has been at it of late. */
    boolean areCallersIdle()
    {
        final long counted = (long)TURNS.getOpaque(this);
        final long nowNs = clock.nanoTime();
        if (counted != turnsSeen)
        {
            turnsSeen = counted;
            seenNs = nowNs;
            return false;
        }

        return nowNs - seenNs >= IDLE_NS;
    }
}
