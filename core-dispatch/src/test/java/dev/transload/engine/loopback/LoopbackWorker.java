/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A progress domain: completions show when it makes progress. */
final class LoopbackWorker implements Worker
{
    private final LoopbackNetwork network;
    private final int rank;
    private final List<LoopbackChannel> channels = new ArrayList<>();

    record ImportedRegion(int peer, LoopbackRegion region, MemoryRegion window) implements RemoteRegion
    {
        @Override
        public long length()
        {
            return region.length();
        }

        @Override
        public void close()
        {
            // Nothing was opened.
        }
    }

    record ImportedSignals(int peer, LoopbackSignals signals) implements RemoteSignals
    {
        @Override
        public int count()
        {
            return signals.count();
        }

        @Override
        public void close()
        {
            // Nothing was opened.
        }
    }

    LoopbackWorker(final LoopbackNetwork network, final int rank)
    {
        this.network = network;
        this.rank = rank;
    }

    @Override
    public ByteBuffer address()
    {
        return ByteBuffer.allocate(Integer.BYTES).putInt(0, rank).asReadOnlyBuffer();
    }

    @Override
    public Channel connect(final int peer, final long incarnation, final ByteBuffer peerAddress)
    {
        final LoopbackChannel channel = new LoopbackChannel(network, peer, network.refusalInterval());
        channels.add(channel);
        return channel;
    }

    @Override
    public RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        final LoopbackRegion region = (LoopbackRegion)network.imported(descriptor);
        return new ImportedRegion(peer, region, region.window());
    }

    @Override
    public RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        return new ImportedSignals(peer, (LoopbackSignals)network.imported(descriptor));
    }

    @Override
    public int progress()
    {
        int work = 0;
        for (int i = 0, size = channels.size(); i < size; i++)
        {
            work += channels.get(i).complete();
        }

        return work;
    }

    @Override
    public void acquire(final MemoryRegion region)
    {
        // Host memory needs nothing.
    }

    @Override
    public void close()
    {
        channels.forEach(Channel::close);
    }
}
