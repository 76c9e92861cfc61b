/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.spi.RowList;
import dev.transload.transport.base.AbstractChannel;
import dev.transload.transport.base.CopyChannel;
import dev.transload.transport.base.CopyWorker;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.base.RowCopy;
import dev.transload.transport.base.WordCopy;
import org.agrona.UnsafeApi;

/** One thread's part of a rank: its channels, and the memory of peers that it has mapped. */
class MmapWorker extends CopyWorker
{
    private final MmapTransport transport;

    MmapWorker(final MmapTransport transport, final int index)
    {
        super(transport, index);
        this.transport = transport;
    }

    @Override
    protected RegionMemory map(final RegionDescriptor descriptor)
    {
        return transport.map(descriptor);
    }

    @Override
    protected AbstractChannel newChannel(final int id, final PeerIdentity peer, final long incarnation)
    {
        return new CopyChannel(this, id, peer, incarnation)
        {
            @Override
            protected void copy(final long src, final long dst, final long length)
            {
                WordCopy.copy(src, dst, length);
            }

            @Override
            protected void copyRows(
                final long src, final long dst, final RowList rows, final int from, final int end)
            {
                RowCopy.copy(src, dst, rows, from, end);
            }

            @Override
            protected void add(final long word, final long delta)
            {
                UnsafeApi.getAndAddLong(null, word, delta);
            }
        };
    }
}
