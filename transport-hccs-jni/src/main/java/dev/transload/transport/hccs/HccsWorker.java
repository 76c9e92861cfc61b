/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

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
import dev.transload.transport.hccs.internal.acl.AclStream;
import dev.transload.transport.hccs.internal.acl.StreamProgress;
import java.nio.ByteBuffer;
import java.util.List;

/** A progress domain: channels and imports of one thread. */
final class HccsWorker extends AbstractWorker
{
    private final HccsTransport transport;

    HccsWorker(final HccsTransport transport, final int index)
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
        final AclStream stream = transport.streams().openStream();
        StreamProgress progress = null;
        try
        {
            progress = StreamProgress.open(
                transport.device(), stream, transport.leftovers(), transport.options().timeoutNs());
            return new HccsChannel(this, id, identity, incarnation, stream, progress);
        }
        finally
        {
            if (null == progress)
            {
                transport.streams().close(stream);
            }
        }
    }

    HccsTransport transport()
    {
        return transport;
    }

    private ImportedRegion importRegion(final RegionDescriptor descriptor, final OwnMemory own)
    {
        final HccsMemory memory = null == own ? transport.peerMemories().openRegion(descriptor) :
            HccsMemory.of((LocalRegion)own);
        final MemoryKey key = MemoryKey.of(descriptor);
        return new ImportedRegion(this, descriptor, own, memory.isDevice() ? MemoryKind.ASCEND : MemoryKind.HOST,
            null == key ? 0 : key.ordinal(), memory, () -> release(memory));
    }

    /** Whatever channel uses it on the device: it must be done before the memory is out of reach. */
    private void release(final HccsMemory memory)
    {
        transport.streams().drain();
        memory.free();
    }
}
