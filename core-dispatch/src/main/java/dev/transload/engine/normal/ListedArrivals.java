/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.spi.SignalRegion;

/** The receiver's end of {@link ListedRows}: rows come to their final places, and a signal counts them. */
final class ListedArrivals
{
    private final SignalRegion signals;
    private final int signal;
    private long expected;
    private boolean isAwaited;

    ListedArrivals(final Geometry geometry, final SignalRegion signals, final int channel, final int forwarder)
    {
        this.signals = signals;
        this.signal = SignalMap.dispatchListedUp(geometry, channel, forwarder);
    }

    /** A lane meta announced rows, whose scales are signalled too. */
    void expect(final int rows, final int scales)
    {
        expected += rows > 0 ? rows + scales : 0;
        isAwaited = rows > 0;
    }

    /** True once, when all rows that are expected have come. */
    boolean haveJustCome()
    {
        if (!isAwaited || signals.getAcquire(signal) < expected)
        {
            return false;
        }

        isAwaited = false;
        return true;
    }

    boolean isComplete()
    {
        return !isAwaited;
    }

    boolean awaits(final Wait wait, final int rank, final int channel)
    {
        return isAwaited &&
            wait.set(rank, channel, WaitCounter.SCALE_UP_LISTED, expected, signals.getAcquire(signal));
    }
}
