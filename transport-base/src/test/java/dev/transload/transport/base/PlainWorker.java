/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import java.nio.ByteBuffer;
import java.util.List;

/** A worker of plain channels. */
final class PlainWorker extends AbstractWorker
{
    private final List<String> events;

    PlainWorker(final AbstractTransport transport, final int index, final List<String> events)
    {
        super(transport, index);
        this.events = events;
    }

    @Override
    public RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        return importMemory(RegionDescriptor.REGION, peer, descriptor,
            (decoded, own) -> new PlainImport(this, decoded, own, events));
    }

    @Override
    public RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        throw new UnsupportedOperationException("plain workers know no signals");
    }

    @Override
    public int progress()
    {
        checkThread();
        int work = 0;
        for (final AbstractChannel channel : channels())
        {
            work += channel.progress();
        }

        return work;
    }

    @Override
    protected AbstractChannel newChannel(final int id, final PeerIdentity identity, final long incarnation)
    {
        return new PlainChannel(this, id, identity, incarnation, events);
    }

    @Override
    protected void release()
    {
        events.add("released worker " + index());
    }
}
