/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.transport.base.AbstractChannel;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.CallerMemory;
import dev.transload.transport.base.ImportedRegion;
import dev.transload.transport.base.ImportedSignals;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionMemory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A progress domain: channels and imports of one thread, and the streams of operations that its channels share. */
final class AeronWorker extends AbstractWorker
{
    private final AeronTransport transport;
    private final Map<Long, OperationStream> streams = new ConcurrentHashMap<>();
    private long seenPasses;

    AeronWorker(final AeronTransport transport, final int index)
    {
        super(transport, index);
        this.transport = transport;
    }

    @Override
    public RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        return importReachable(RegionDescriptor.REGION, peer, descriptor, (decoded, own) ->
            new ImportedRegion(this, decoded, own, null == own ? mapping(decoded) : window(own)));
    }

    @Override
    public RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        return importReachable(RegionDescriptor.SIGNALS, peer, descriptor, (decoded, own) ->
            new ImportedSignals(this, decoded, own, null == own ? mapping(decoded) : null));
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

        return streams.isEmpty() ? work : work + progressMessages();
    }

    @Override
    protected AbstractChannel newChannel(final int id, final PeerIdentity identity, final long incarnation)
    {
        return DataPath.MESSAGES == transport.pathTo(identity).path() ? messageChannel(id, identity, incarnation) :
            new MappedChannel(this, id, identity, incarnation);
    }

    @Override
    protected void release()
    {
        streams.values().forEach(transport::closeStream);
    }

    AeronTransport transport()
    {
        return transport;
    }

    private MessageChannel messageChannel(final int id, final PeerIdentity identity, final long incarnation)
    {
        final OperationStream stream = streams.computeIfAbsent(
            identity.transportId(), (transportId) -> new OperationStream(transport.identity(), identity));
        final MessageChannel channel = new MessageChannel(
            this, id, identity, incarnation, stream, transport.options().maxLoads());
        transport.inbound().add(channel);
        return channel;
    }

    private int progressMessages()
    {
        enter();
        try
        {
            return isOpen() ? pollMessages() : 0;
        }
        finally
        {
            exit();
        }
    }

    private int pollMessages()
    {
        transport.wakeDriver();
        final int work = transport.inbound().poll();
        final long passes = transport.driverPasses();
        if (0 == work && passes == seenPasses)
        {
            Thread.yield();
        }

        seenPasses = passes;
        return work;
    }

    /** Null where the peer is reached by messages. */
    private RegionMemory mapping(final RegionDescriptor descriptor)
    {
        final PeerIdentity owner = descriptor.owner();
        return DataPath.MAPPED == transport.pathTo(owner).path() ?
            transport.mappings().acquire(AeronContact.of(owner).regionDirectory(), descriptor) : null;
    }

    /** Own memory, as far as windows are promised. */
    private RegionMemory window(final OwnMemory own)
    {
        return transport.options().mayMap() ? new CallerMemory(own.address()) : null;
    }
}
