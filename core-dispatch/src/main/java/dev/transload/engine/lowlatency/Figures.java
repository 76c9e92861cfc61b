/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/** Cumulative figures of an engine, written by the calling thread alone. */
final class Figures
{
    final long[] rowsPerExpert;
    final long[] waitNs;
    long dispatches;
    long combines;
    long leftOut;
    long bytesSent;

    Figures(final Slots slots)
    {
        this.rowsPerExpert = new long[slots.maxLocalExperts()];
        this.waitNs = new long[slots.ranks()];
    }

    LowLatencyStatistics snapshot()
    {
        return new LowLatencyStatistics(
            dispatches, combines, rowsPerExpert.clone(), waitNs.clone(), leftOut, bytesSent);
    }
}
