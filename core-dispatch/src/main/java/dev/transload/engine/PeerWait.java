/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.Arrays;
import java.util.List;

/**
 * How long this rank's engine threads waited for a counter that a rank must move. A thread whose roles all found
 * nothing to do asks one of them, in turn, what it waits for, and books the time since its last duty cycle on that.
 * Threads add up, so that an engine of two threads can wait two seconds a second.
 *
 * @param call    {@code dispatch} (cached ones too) or {@code combine}.
 * @param rank    that must move the counter; the own one for what its own stages and row kernels owe.
 * @param counter name, e.g. {@code scale-out.tail} (rows produced) or {@code scale-up.head} (credit).
 * @param ns      waited.
 * @param times   that a thread began to wait and this was the first wait that it found.
 */
public record PeerWait(String call, int rank, String counter, long ns, long times)
{
    private static final String CREDIT = ".head";
    private static final List<String> COUNTERS = Arrays.stream(WaitCounter.values()).map(WaitCounter::title).toList();

    /**
     * All counters that can be waited for.
     *
     * @return names.
     */
    public static List<String> counters()
    {
        return COUNTERS;
    }

    /**
     * Whether it is credit that was waited for: a ring was full.
     *
     * @return true for heads of rings.
     */
    public boolean isCredit()
    {
        return counter.endsWith(CREDIT);
    }
}
