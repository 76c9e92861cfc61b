/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Looks now and then whether a call of a compiled vector form allocates, which it does where C2 lost track of a
 * vector: it is then slower than scalar code. One look may fall on a window's first use, or on a recompilation; what
 * allocates at three looks in a row is refused. Looking itself allocates nothing.
 */
final class AllocationWatch
{
    /** Calls from one look to the next: a look costs about as much as a tenth of a row. */
    static final int CALLS = 1 << 14;

    /** Looks in a row which must see an allocation. */
    static final int STRIKES = 3;

    private static final long NOT_LOOKING = -1;
    private static final ThreadMXBean THREADS = find();

    private final int[] calls = new int[VectorForm.COUNT];
    private final int[] strikes = new int[VectorForm.COUNT];

    private static ThreadMXBean find()
    {
        return ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads &&
            threads.isThreadAllocatedMemorySupported() && threads.isThreadAllocatedMemoryEnabled() ? threads : null;
    }

    /**
     * Whether this JVM tells what a thread allocates.
     *
     * @return false where nothing can be watched.
     */
    static boolean isPossible()
    {
        return null != THREADS;
    }

    /**
     * Bytes that the calling thread has allocated so far.
     *
     * @return bytes.
     */
    static long allocatedBytes()
    {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /**
     * Before a call.
     *
     * @param form of the call.
     * @return what {@link #after} is to be given.
     */
    long before(final VectorForm form)
    {
        return 0 == (++calls[form.ordinal()] & CALLS - 1) ? allocatedBytes() : NOT_LOOKING;
    }

    /**
     * After a call.
     *
     * @param form   of the call.
     * @param before from {@link #before}.
     * @return true if the form must not be trusted any more.
     */
    boolean after(final VectorForm form, final long before)
    {
        if (NOT_LOOKING == before)
        {
            return false;
        }

        strikes[form.ordinal()] = allocatedBytes() == before ? 0 : strikes[form.ordinal()] + 1;

        return strikes[form.ordinal()] >= STRIKES;
    }
}
