/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.base.LocalSignals;
import dev.transload.transport.base.RegionTable;
import java.nio.ByteBuffer;

/** Signals of this rank in memory that UCX unmaps when they are closed. */
final class UcxSignals extends LocalSignals
{
    private final SignalReaders readers;

    UcxSignals(final RegionTable table, final int count, final SignalMemory memory, final ByteBuffer descriptor)
    {
        super(table, count, memory, descriptor);
        this.readers = memory.readers();
    }

    @Override
    public long getAcquire(final int index)
    {
        final long line = readers.enter();
        try
        {
            return super.getAcquire(index);
        }
        finally
        {
            readers.exit(line);
        }
    }
}
