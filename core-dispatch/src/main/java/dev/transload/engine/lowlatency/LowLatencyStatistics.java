/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/**
 * Cumulative figures of one rank's low-latency engine.
 *
 * @param dispatches      received.
 * @param combines        received.
 * @param rowsPerExpert   [L] rows that came to each local expert.
 * @param waitNsPerRank   [P] from the beginning of a {@code receive} until a rank's last message had come, of
 *                        dispatches and combines; of a rank that was masked meanwhile, until then.
 * @param leftOut         selections that combines had to leave out, as their experts' ranks were masked.
 * @param bytesSent       rows and their messages put to other ranks, by dispatches and combines.
 */
public record LowLatencyStatistics(
    long dispatches, long combines, long[] rowsPerExpert, long[] waitNsPerRank, long leftOut, long bytesSent)
{
}
