/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.spi.SignalRegion;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongArray;

/** Signals of a rank. */
final class LoopbackSignals implements SignalRegion
{
    private final AtomicLongArray values;
    private final ByteBuffer descriptor;

    LoopbackSignals(final LoopbackNetwork network, final int count)
    {
        this.values = new AtomicLongArray(count);
        this.descriptor = network.export(this);
    }

    void add(final int index, final long delta)
    {
        values.getAndAdd(index, delta);
    }

    @Override
    public int count()
    {
        return values.length();
    }

    @Override
    public long getAcquire(final int index)
    {
        return values.getAcquire(index);
    }

    @Override
    public ByteBuffer descriptor()
    {
        return descriptor;
    }

    @Override
    public void close()
    {
        // The memory is the collector's.
    }
}
