/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * Cumulative figures of this rank since its engine was opened.
 *
 * @param calls            completed.
 * @param dispatchScaleOutBytes payload and metadata put to other nodes by dispatches.
 * @param dispatchScaleUpBytes  payload and metadata put within the node (self included) by dispatches.
 * @param combineScaleOutBytes  as above, by combines.
 * @param combineScaleUpBytes   as above, by combines.
 * @param stagedBytes      copied between the payload's memory and host memory of this rank, for a scale-out transport
 *                         that does not move the payload's kind.
 * @param rowsPerExpert    [L] rows that dispatches delivered to each local expert, without padding; empty before the
 *                         first dispatch.
 * @param waitNsPerRank    [P] sum of {@link DispatchResult#waitNs()}.
 * @param roles            time of each kind of role.
 * @param traffic          rows, bytes and fullest ring of each stage, in the order of {@link Traffic}.
 * @param callTimes        number and time of calls, by kind.
 * @param peerWaits        how long engine threads waited for each rank, by kind of call and counter; without
 *                         waits that are zero.
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
