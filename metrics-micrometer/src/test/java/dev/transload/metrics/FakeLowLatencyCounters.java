/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import dev.transload.engine.lowlatency.LowLatencyCall;
import dev.transload.engine.lowlatency.LowLatencyCounters;

/** Counters that a test moves: every figure is a different multiple of what it set. Rank 1 is masked. */
final class FakeLowLatencyCounters implements LowLatencyCounters
{
    volatile long unit;

    @Override
    public int ranks()
    {
        return 4;
    }

    @Override
    public int maxLocalExperts()
    {
        return 2;
    }

    @Override
    public long calls(final LowLatencyCall call)
    {
        return factor(call) * unit;
    }

    @Override
    public long calls(final LowLatencyCall call, final int bucket)
    {
        return 1 == bucket ? calls(call) : 0;
    }

    @Override
    public long callNs(final LowLatencyCall call)
    {
        return factor(call) * 3_000_000_000L * unit;
    }

    @Override
    public long sentBytes(final LowLatencyCall call)
    {
        return factor(call) * 5L * unit;
    }

    @Override
    public long waitNs(final LowLatencyCall call, final int rank)
    {
        return factor(call) * (70 + rank) * 1_000_000_000L * unit;
    }

    @Override
    public long rows(final int localExpert)
    {
        return (110 + localExpert) * unit;
    }

    @Override
    public long leftOut()
    {
        return 13 * unit;
    }

    @Override
    public boolean isActive(final int rank)
    {
        return 1 != rank;
    }

    private static int factor(final LowLatencyCall call)
    {
        return 1 + call.ordinal();
    }
}
