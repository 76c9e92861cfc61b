/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.transport.base.AbstractChannel;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.ImportedRegion;
import dev.transload.transport.base.ImportedSignals;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import java.nio.ByteBuffer;
import java.util.List;

/** A progress domain: channels and imports of one thread. */
final class NvlinkWorker extends AbstractWorker
{
    private final NvlinkTransport transport;

    NvlinkWorker(final NvlinkTransport transport, final int index)
    {
        super(transport, index);
        this.transport = transport;
    }

    @Override
    public RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        return importReachable(RegionDescriptor.REGION, peer, descriptor, this::importRegion);
    }

    @Override
    public RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        return importReachable(RegionDescriptor.SIGNALS, peer, descriptor, (decoded, own) ->
            new ImportedSignals(
                this, decoded, own, null == own ? transport.peerMemories().openSignals(decoded) : null));
    }

    @Override
    public int progress()
    {
        checkThread();
        int work = 0;
        final List<AbstractChannel> channels = channels();
        for (int i = 0; i < channels.size(); i++)
        {
            work += channels.get(i).progress();
        }

        return work;
    }

    @Override
    protected AbstractChannel newChannel(final int id, final PeerIdentity identity, final long incarnation)
    {
        return new NvlinkChannel(this, id, identity, incarnation, transport.streams().take(index()));
    }

    NvlinkTransport transport()
    {
        return transport;
    }

    private ImportedRegion importRegion(final RegionDescriptor descriptor, final OwnMemory own)
    {
        final PeerMemories memories = transport.peerMemories();
        final NvlinkMemory memory = null == own ? memories.openRegion(descriptor) :
            NvlinkMemory.of((LocalRegion)own);
        return new ImportedRegion(this, descriptor, own, memory.isDevice() ? MemoryKind.CUDA : MemoryKind.HOST,
            memories.ordinal(descriptor), memory, () -> release(memory));
    }

    /** Whatever channel uses it on the device: it must be done before the memory is out of reach. */
    private void release(final NvlinkMemory memory)
    {
        transport.streams().drain();
        memory.free();
    }
}
