/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * Cumulative statistics of this rank since its engine was opened.
 *
 * @param calls            number of successful calls.
 * @param dispatchScaleOutBytes bytes of payload and metadata that dispatches put to other nodes.
 * @param dispatchScaleUpBytes  bytes of payload and metadata that dispatches put to ranks of the same node, this rank
 *                              included.
 * @param combineScaleOutBytes  bytes of payload and metadata that combines put to other nodes.
 * @param combineScaleUpBytes   bytes of payload and metadata that combines put to ranks of the same node, this rank
 *                              included.
 * @param stagedBytes      bytes copied between the payload's memory and host memory of this rank. Such copies are
 *                         needed if the scale-out transport cannot move memory of the payload's kind.
 * @param rowsPerExpert    for each local expert, number of rows that dispatches delivered to it, without padding; empty
 *                         before the first dispatch.
 * @param waitNsPerRank    for each rank, sum of {@link DispatchResult#waitNs()} over all dispatches, in nanoseconds.
 * @param roles            time of each kind of role.
 * @param traffic          rows, bytes and largest ring occupancy for each kind of call and stage, in the order of
 *                         {@link Traffic}.
 * @param callTimes        number and duration of calls, by kind.
 * @param peerWaits        how long engine threads waited for each rank, by kind of call and counter; waits whose time
 *                         is zero are left out.
 */
public record EngineStatistics(
    long calls,
    long dispatchScaleOutBytes,
    long dispatchScaleUpBytes,
    long combineScaleOutBytes,
    long combineScaleUpBytes,
    long stagedBytes,
    long[] rowsPerExpert,
    long[] waitNsPerRank,
    List<RoleTime> roles,
    List<TrafficCount> traffic,
    List<CallTime> callTimes,
    List<PeerWait> peerWaits)
{
}
