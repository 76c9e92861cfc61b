/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/**
 * Cumulative statistics of one rank's low-latency engine.
 *
 * @param dispatches      number of received dispatches.
 * @param combines        number of received combines.
 * @param rowsPerExpert   for each local expert, the number of rows that it received.
 * @param waitNsPerRank   for each rank, nanoseconds from the beginning of each {@code receive} until the rank's last
 *                        message had arrived or the rank was masked, summed over dispatches and combines.
 * @param leftOut         number of selections that combines left out because the ranks of their experts were masked.
 * @param bytesSent       bytes of rows and control messages that dispatches and combines had to send to other ranks.
 */
public record LowLatencyStatistics(
    long dispatches, long combines, long[] rowsPerExpert, long[] waitNsPerRank, long leftOut, long bytesSent)
{
}
