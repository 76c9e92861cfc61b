/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.util.Collection;

/**
 * Has the JVM stop all threads for a moment. What each has written before is then seen by the caller, and what the
 * caller has written before is seen by each when it goes on: a fence that costs the others nothing as long as nobody
 * asks for it. For things that are rare, such as closing.
 */
public final class StoppedThreads
{
    private StoppedThreads()
    {
    }

    /**
     * Stop all threads and look where they stand.
     *
     * @return the stack of each.
     */
    public static Collection<StackTraceElement[]> look()
    {
        return Thread.getAllStackTraces().values();
    }
}
