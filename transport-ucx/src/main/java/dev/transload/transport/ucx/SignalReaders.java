/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.base.LocalSignals;
import dev.transload.transport.base.StoppedThreads;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that are reading signals at this moment, so that memory is not unmapped under one: UCX gives memory back at
 * once, and any thread may read at any time. Signals are read all the time and closed seldom, so that the reader pays
 * nothing: the closing thread has the JVM stop all threads and looks where they are.
 */
final class SignalReaders
{
    private static final Logger LOG = LoggerFactory.getLogger(SignalReaders.class);
    private static final String READER = LocalSignals.class.getName();
    private static final String READ = "getAcquire";
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private SignalReaders()
    {
    }

    /**
     * Wait until no thread is within a read that began before the signals were marked as closed. A later one sees that
     * they are, since it began after all threads had been stopped.
     *
     * @return false when a reader was stopped for seconds, e.g. by a debugger: the memory must be kept.
     */
    static boolean awaitNone()
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (isAnyReading())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                LOG.warn("a thread reads closed signals for {} s: their memory is kept",
                    TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NS));
                return false;
            }

            LockSupport.parkNanos(PAUSE_NS);
        }

        return true;
    }

    private static boolean isAnyReading()
    {
        for (final StackTraceElement[] stack : StoppedThreads.look())
        {
            for (final StackTraceElement frame : stack)
            {
                if (READ.equals(frame.getMethodName()) && READER.equals(frame.getClassName()))
                {
                    return true;
                }
            }
        }

        return false;
    }
}
