/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.util.Collection;

/**
 * Makes the JVM stop all threads for a moment. The caller then sees everything that the other threads have written, and
 * the other threads see everything that the caller has written. The stop therefore acts as a memory fence for all
 * threads. As long as no thread uses this fence, it costs nothing, so it suits rare events such as closing a worker.
 */
public final class StoppedThreads
{
    private StoppedThreads()
    {
    }

    /**
     * Stops all threads and returns their stacks.
     *
     * @return stack of each thread.
     */
    public static Collection<StackTraceElement[]> look()
    {
        return Thread.getAllStackTraces().values();
    }
}
