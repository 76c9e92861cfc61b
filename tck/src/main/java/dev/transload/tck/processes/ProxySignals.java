/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.SignalRegion;
import java.nio.ByteBuffer;

/** Signals in a rank's process, read by that process's one thread. */
final class ProxySignals extends Proxied implements SignalRegion
{
    ProxySignals(final RankProcess process, final long handle)
    {
        super(process, handle);
    }

    @Override
    public int count()
    {
        return (int)ask(Request.COUNT);
    }

    @Override
    public long getAcquire(final int index)
    {
        return ask(Request.GET_ACQUIRE, (out) -> out.writeInt(index));
    }

    @Override
    public ByteBuffer descriptor()
    {
        return askBuffer(Request.SIGNALS_DESCRIPTOR);
    }
}
