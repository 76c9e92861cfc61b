/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/**
 * Counters of a low-latency engine. Any thread may read them at any time. A read takes no lock and never waits. All
 * counters start at zero when the engine is opened and never decrease. In addition, {@link #isActive} returns the
 * current state of a rank. The counters of a closed engine keep their last values.
 */
public interface LowLatencyCounters
{
    /**
     * Returns the number of ranks of the world.
     *
     * @return P.
     */
    int ranks();

    /**
     * Returns the largest number of experts that a rank can have. In a single call, a rank may have fewer experts.
     *
     * @return number of experts of a rank in a call with the largest number of experts that the engine allows.
     */
    int maxLocalExperts();

    /**
     * Returns the number of completed calls. A call is complete when its {@code receive()} has returned, or, if devices
     * run the steps, when the caller has gone on without {@code receive()}.
     *
     * @param call kind of call.
     * @return number of calls.
     */
    long calls(LowLatencyCall call);

    /**
     * Returns the time that the calling thread spent on sending and receiving, including packing or summing, in
     * completed calls. The time between sending and receiving, and the time to check the request, are not included.
     *
     * @param call kind of call.
     * @return nanoseconds.
     */
    long callNs(LowLatencyCall call);

    /**
     * Returns the number of completed calls whose time, as {@link #callNs} counts it, is in a given bucket.
     *
     * @param call   kind of call.
     * @param bucket index of a bucket of {@link dev.transload.engine.TimeBuckets}.
     * @return number of calls.
     */
    long calls(LowLatencyCall call, int bucket);

    /**
     * Returns the number of bytes that calls had to send to other ranks. Each call adds its bytes when it begins to
     * send, so the number includes bytes for ranks that were masked during the call.
     *
     * @param call kind of call.
     * @return bytes of rows and control messages.
     */
    long sentBytes(LowLatencyCall call);

    /**
     * Returns how long this rank waited for a given rank: the time from the beginning of each receive until the given
     * rank's last message arrived or the given rank was masked, summed over all calls of a kind.
     *
     * @param call kind of call.
     * @param rank rank that the engine waited for.
     * @return nanoseconds.
     */
    long waitNs(LowLatencyCall call, int rank);

    /**
     * Returns the number of rows that an expert of this rank received.
     *
     * @param localExpert index of the local expert, in [0, {@link #maxLocalExperts()}).
     * @return number of rows.
     */
    long rows(int localExpert);

    /**
     * Returns the number of selections that combines left out because the ranks of their experts were masked.
     *
     * @return number of selections.
     */
    long leftOut();

    /**
     * Returns whether a rank is active, that is, not masked by this rank.
     *
     * @param rank number of the rank.
     * @return false if this rank has masked the given rank.
     */
    boolean isActive(int rank);
}
