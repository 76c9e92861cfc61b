/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/**
 * Counters of a running low-latency engine, to be read by any thread at any time: no read takes a lock or makes the
 * calling thread wait. All but {@link #isActive} only grow, from zero when the engine was opened; those of a closed
 * engine stay as they were.
 */
public interface LowLatencyCounters
{
    /**
     * Ranks of the world.
     *
     * @return P.
     */
    int ranks();

    /**
     * Most experts that a rank can have; how many it has is decided by each call.
     *
     * @return L of a call with as many experts as the engine allows.
     */
    int maxLocalExperts();

    /**
     * Calls that were received.
     *
     * @param call kind.
     * @return number of them.
     */
    long calls(LowLatencyCall call);

    /**
     * Time that the calling thread spent in calls that were received: until all was sent, and until all had come and
     * was packed or summed. What it did between the two is not in it, nor is the check of the request.
     *
     * @param call kind.
     * @return nanoseconds.
     */
    long callNs(LowLatencyCall call);

    /**
     * Calls that were received, by the time that {@link #callNs} sums.
     *
     * @param call   kind.
     * @param bucket of {@link dev.transload.engine.TimeBuckets}.
     * @return number of them.
     */
    long calls(LowLatencyCall call, int bucket);

    /**
     * What calls had for other ranks when they began to send; a rank that was masked later may not have taken it.
     *
     * @param call kind.
     * @return bytes of rows and their messages.
     */
    long sentBytes(LowLatencyCall call);

    /**
     * Time from the beginning of a receive until a rank's last message had come, or the rank was masked.
     *
     * @param call kind.
     * @param rank waited for.
     * @return nanoseconds.
     */
    long waitNs(LowLatencyCall call, int rank);

    /**
     * Rows that came to an expert of this rank.
     *
     * @param localExpert in [0, {@link #maxLocalExperts()}).
     * @return rows.
     */
    long rows(int localExpert);

    /**
     * Selections that combines had to leave out, as their experts' ranks were masked.
     *
     * @return selections.
     */
    long leftOut();

    /**
     * Whether a rank takes part, as far as this rank knows.
     *
     * @param rank asked for.
     * @return false while it is masked.
     */
    boolean isActive(int rank);
}
