/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * Figures of a running engine, to be read by any thread at any time: each read takes no lock and makes no engine thread
 * wait. Every figure only grows, from zero when the engine was opened. Figures that are read together may be of
 * different moments; those of a closed engine stay as they were.
 */
public interface EngineCounters
{
    /**
     * Calls that ended well.
     *
     * @return one for each kind.
     */
    List<CallTime> calls();

    /**
     * Rows and bytes, counted when a chunk is handed to the transport entirely.
     *
     * @return one for each constant of {@link Traffic}, in its order.
     */
    List<TrafficCount> traffic();

    /**
     * Who was waited for.
     *
     * @return waits that are not zero.
     */
    List<PeerWait> waits();

    /**
     * Time of roles.
     *
     * @return one for each kind of role.
     */
    List<RoleTime> roles();

    /**
     * Operations that a transport refused for the time being: its queue was full.
     *
     * @return times.
     */
    long backPressure();

    /**
     * Bytes copied between the payload's memory and host memory of this rank.
     *
     * @return bytes.
     */
    long stagedBytes();
}
