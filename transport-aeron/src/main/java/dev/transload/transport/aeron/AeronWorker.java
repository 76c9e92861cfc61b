/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.Channel;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.AbstractChannel;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.WorkerAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A progress domain: channels and imports of one thread, and the streams of operations that its channels share. */
final class AeronWorker extends AbstractWorker
{
    private final AeronTransport transport;
    private final Map<Long, OperationStream> streams = new ConcurrentHashMap<>();

    AeronWorker(final AeronTransport transport, final int index)
    {
        super(index, transport.identity(), transport.regions(), transport.agent());
        this.transport = transport;
    }

    @Override
    public Channel connect(final int peer, final long incarnation, final ByteBuffer peerAddress)
    {
        checkOpen();
        final WorkerAddress target = decodeAddress(peer, peerAddress);
        final PeerIdentity identity = target.identity();
        final PathChoice choice = transport.pathTo(identity);
        final AeronChannel channel = DataPath.MESSAGES == choice.path() ? messageChannel(identity, incarnation) :
            new MappedChannel(this, transport.nextChannelId(), identity, incarnation);
        begin(channel, target, null == choice.path() ? choice.reason() : null);
        return channel;
    }

    @Override
    public RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        checkOpen();
        final RegionDescriptor decoded = decodeDescriptor(RegionDescriptor.REGION, peer, descriptor);
        return add(new ImportedRegion(
            this, decoded, ownMemory(decoded), mapping(decoded), transport.options().mayMap()));
    }

    @Override
    public RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        checkOpen();
        final RegionDescriptor decoded = decodeDescriptor(RegionDescriptor.SIGNALS, peer, descriptor);
        return add(new ImportedSignals(this, decoded, ownMemory(decoded), mapping(decoded)));
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
    protected void onClosed()
    {
        transport.forget(this);
    }

    @Override
    protected void release()
    {
        streams.values().forEach(transport::closeStream);
    }

    MappingTable mappings()
    {
        return transport.mappings();
    }

    AeronTransport transport()
    {
        return transport;
    }

    private MessageChannel messageChannel(final PeerIdentity identity, final long incarnation)
    {
        final OperationStream stream = streams.computeIfAbsent(
            identity.transportId(), (id) -> new OperationStream(transport.identity(), identity));
        final MessageChannel channel = new MessageChannel(this, transport.nextChannelId(), identity, incarnation,
            stream, transport.options().maxLoads());
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
        return transport.inbound().poll();
    }

    private MappedFile mapping(final RegionDescriptor descriptor)
    {
        if (transport.isOwn(descriptor.owner()))
        {
            return null;
        }

        final PathChoice choice = transport.pathTo(descriptor.owner());
        if (null == choice.path())
        {
            throw new TransportUnavailableException("transport aeron: memory of rank " + descriptor.owner().rank() +
                " cannot be reached: " + choice.reason(), null);
        }

        return DataPath.MAPPED == choice.path() ? transport.mappings().acquire(descriptor) : null;
    }
}
