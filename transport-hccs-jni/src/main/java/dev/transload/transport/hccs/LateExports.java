/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports of transports that are closed, while other processes still import some of their memory: a thread gives it
 * back when those are done. At the end of this process it has a last, bounded chance, since the runtime wants importers
 * to close before the exporter; what is imported even then goes with the process.
 */
final class LateExports
{
    private static final Logger LOG = LoggerFactory.getLogger(LateExports.class);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long END_NS = TimeUnit.SECONDS.toNanos(2);
    private static final List<Exports> WAITING = new ArrayList<>();

    static
    {
        try
        {
            Runtime.getRuntime().addShutdownHook(new Thread(LateExports::end, "transload-hccs-exports-end"));
        }
        catch (final IllegalStateException ex)
        {
            LOG.debug("this process is ending already: what others import goes with it", ex);
        }
    }

    private LateExports()
    {
    }

    static synchronized void add(final Exports exports)
    {
        WAITING.add(exports);
        if (1 == WAITING.size())
        {
            final Thread thread = new Thread(LateExports::await, "transload-hccs-exports");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void await()
    {
        while (0 != sweep())
        {
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private static void end()
    {
        final long deadlineNs = System.nanoTime() + END_NS;
        while (0 != sweep() && System.nanoTime() - deadlineNs < 0)
        {
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private static synchronized int sweep()
    {
        WAITING.removeIf(Exports::isOver);
        return WAITING.size();
    }
}
