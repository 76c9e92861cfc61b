/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Channel;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import java.nio.ByteBuffer;
import java.util.List;

/** A worker of plain channels, which says where a peer is out of reach. */
final class PlainWorker extends AbstractWorker
{
    private final List<String> events;
    private String obstacle;
    private int nextId = 1;

    PlainWorker(
        final int index, final PeerIdentity own, final RegionTable regions, final ControlAgent agent,
        final List<String> events)
    {
        super(index, own, regions, agent);
        this.events = events;
    }

    void obstruct(final String clause)
    {
        obstacle = clause;
    }

    @Override
    public Channel connect(final int peer, final long incarnation, final ByteBuffer peerAddress)
    {
        checkOpen();
        final WorkerAddress target = decodeAddress(peer, peerAddress);
        final PlainChannel channel = new PlainChannel(this, nextId++, target.identity(), incarnation, events);
        begin(channel, target, obstacle);
        return channel;
    }

    @Override
    public RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        final RegionDescriptor decoded = decodeDescriptor(RegionDescriptor.REGION, peer, descriptor);
        return add(new PlainImport(this, decoded, ownMemory(decoded), events));
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
    protected void onClosed()
    {
        events.add("closed worker " + index());
    }

    @Override
    protected void release()
    {
        events.add("released worker " + index());
    }
}
