/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * Counters of a running engine, which any thread may read at any time. A read takes no lock and makes no engine thread
 * wait. All counters start at zero when the engine is opened, and they only grow. Counters that are read together may
 * be from different moments. The counters of a closed engine keep their last values.
 */
public interface EngineCounters
{
    /**
     * Returns the number and the duration of the successful calls.
     *
     * @return one element for each kind of call.
     */
    List<CallTime> calls();

    /**
     * Returns the rows and bytes that this rank has sent. A chunk is counted when the transport has accepted all of it.
     *
     * @return one element for each constant of {@link Traffic}, in the order of the constants.
     */
    List<TrafficCount> traffic();

    /**
     * Returns how long this rank waited for each rank, itself included.
     *
     * @return the waits whose time is not zero.
     */
    List<PeerWait> waits();

    /**
     * Returns how each kind of role spent its time.
     *
     * @return one element for each kind of role.
     */
    List<RoleTime> roles();

    /**
     * Returns how many operations a transport temporarily refused because its queue was full.
     *
     * @return number of operations.
     */
    long backPressure();

    /**
     * Returns how many bytes this rank copied between the payload's memory and host memory.
     *
     * @return number of bytes.
     */
    long stagedBytes();
}
