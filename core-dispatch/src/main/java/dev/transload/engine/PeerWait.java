/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.Arrays;
import java.util.List;

/**
 * Time that this rank's engine threads waited for one counter of one rank. After each duty cycle in which no role of a
 * thread had work, the thread chooses the next of its waiting roles in turn. It adds the time since its last duty cycle
 * to the waiting time of the counter that this role waits for. The times of all threads are added: two threads that
 * wait for one second count as two seconds.
 *
 * @param call    {@code dispatch} (including cached dispatches) or {@code combine}.
 * @param rank    rank that must increase the counter. It is this rank itself if the threads wait for work of this rank,
 *                e.g. of its row kernels.
 * @param counter name of the counter, e.g. {@code scale-out.tail} (rows produced) or {@code scale-up.head} (credit).
 * @param ns      nanoseconds that the threads waited.
 * @param times   number of times that a thread ran out of work and chose a role with this wait first.
 */
public record PeerWait(String call, int rank, String counter, long ns, long times)
{
    private static final String CREDIT = ".head";
    private static final List<String> COUNTERS = Arrays.stream(WaitCounter.values()).map(WaitCounter::title).toList();

    /**
     * Returns the names of all counters that a thread can wait for.
     *
     * @return names.
     */
    public static List<String> counters()
    {
        return COUNTERS;
    }

    /**
     * Returns whether the wait was for credit, because a ring was full.
     *
     * @return true if the counter is the head of a ring.
     */
    public boolean isCredit()
    {
        return counter.endsWith(CREDIT);
    }
}
