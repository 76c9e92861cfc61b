/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A progress domain: channels and imports of one thread. */
final class AeronWorker implements Worker
{
    private static final VarHandle BUSY;

    private final AeronTransport transport;
    private final int index;
    private final ByteBuffer address;
    private final List<AeronChannel> channels = new ArrayList<>();
    private final List<Import> imports = new ArrayList<>();
    private final Map<Long, OperationStream> streams = new ConcurrentHashMap<>();
    private volatile Thread owner;
    private volatile boolean open = true;
    private volatile boolean busy;

    static
    {
        try
        {
            BUSY = MethodHandles.lookup().findVarHandle(AeronWorker.class, "busy", boolean.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    AeronWorker(final AeronTransport transport, final int index)
    {
        this.transport = transport;
        this.index = index;
        this.address = new WorkerAddress(index, transport.identity()).encode();
    }

    @Override
    public ByteBuffer address()
    {
        return address.duplicate();
    }

    @Override
    public Channel connect(final int peer, final long incarnation, final ByteBuffer peerAddress)
    {
        checkOpen();
        final WorkerAddress target = WorkerAddress.decode(peerAddress);
        final PeerIdentity identity = target.identity();
        checkPeer(peer, identity, "peerAddress");
        final PathChoice choice = transport.pathTo(identity);
        final AeronChannel channel = DataPath.MESSAGES == choice.path() ? messageChannel(identity, incarnation) :
            new MappedChannel(this, transport.nextChannelId(), identity, incarnation);
        if (incarnation != identity.incarnation())
        {
            channel.fail(refusal("transport aeron: incarnation " + incarnation + " of rank " + peer +
                " is meant, the address is that of incarnation " + identity.incarnation()));
        }
        else if (null == choice.path())
        {
            channel.fail(refusal("transport aeron: rank " + peer + " cannot be reached: " + choice.reason()));
        }
        else
        {
            add(channels, channel);
            if (transport.isOwn(identity))
            {
                channel.grant();
                channel.progress();
            }
            else
            {
                transport.agent().connect(channel, target);
            }
        }

        return channel;
    }

    @Override
    public RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        checkOpen();
        final Descriptor decoded = Descriptor.decode(Descriptor.REGION, descriptor);
        checkPeer(peer, decoded.identity(), "descriptor");
        final ImportedRegion region = new ImportedRegion(this, decoded, mapping(decoded), ownMemory(decoded));
        add(imports, region);
        return region;
    }

    @Override
    public RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        checkOpen();
        final Descriptor decoded = Descriptor.decode(Descriptor.SIGNALS, descriptor);
        checkPeer(peer, decoded.identity(), "descriptor");
        final ImportedSignals signals = new ImportedSignals(this, decoded, mapping(decoded), ownMemory(decoded));
        add(imports, signals);
        return signals;
    }

    @Override
    public int progress()
    {
        checkThread();
        int work = 0;
        for (int i = 0; i < channels.size(); i++)
        {
            work += channels.get(i).progress();
        }

        return streams.isEmpty() ? work : work + progressMessages();
    }

    @Override
    public void acquire(final MemoryRegion region)
    {
        checkThread();
        if (!(region instanceof LocalRegion) || !owns((LocalRegion)region))
        {
            throw new IllegalArgumentException("region is not one of this transport: " + region);
        }
    }

    @Override
    public void close()
    {
        if (open)
        {
            checkThread();
            shut();
            transport.forget(this);
        }
    }

    /** Any thread: closes channels, then imports, once no operation is under way. */
    void shut()
    {
        open = false;
        final List<AeronChannel> openChannels = copy(channels);
        openChannels.forEach(AeronChannel::shut);
        while (busy && Thread.currentThread() != owner)
        {
            Thread.onSpinWait();
        }

        openChannels.forEach(transport.agent()::disconnect);
        copy(imports).forEach(Import::release);
        streams.values().forEach(transport.agent()::closeStream);
    }

    /**
     * Begin an operation: from here to {@link #exit()} nobody takes memory away. The store is ordered before the
     * operation's look at the channel's state, as {@link #shut()} orders the state before its look at the flag.
     */
    void enter()
    {
        checkThread();
        busy = true;
    }

    /** End an operation. */
    void exit()
    {
        BUSY.setRelease(this, false);
    }

    boolean isOpen()
    {
        return open;
    }

    int index()
    {
        return index;
    }

    MappingTable mappings()
    {
        return transport.mappings();
    }

    AeronTransport transport()
    {
        return transport;
    }

    boolean owns(final LocalRegion region)
    {
        return region.belongsTo(transport.regions());
    }

    void forget(final AeronChannel channel)
    {
        synchronized (channels)
        {
            channels.remove(channel);
        }

        transport.agent().disconnect(channel);
    }

    void forget(final Import imported)
    {
        synchronized (imports)
        {
            imports.remove(imported);
        }
    }

    /** Our own driver runs on the transport's thread: who waits for messages must not wait for its sleep. */
    void wakeDriver()
    {
        if (!transport.options().isExternal())
        {
            transport.agent().wake();
        }
    }

    void checkThread()
    {
        if (Thread.currentThread() != owner)
        {
            claimThread();
        }
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
            return open ? pollMessages() : 0;
        }
        finally
        {
            exit();
        }
    }

    private int pollMessages()
    {
        wakeDriver();
        return transport.inbound().poll();
    }

    /** The lists are changed by the worker's thread, and read by one that closes the transport. */
    private <T> void add(final List<T> list, final T added)
    {
        synchronized (list)
        {
            checkOpen();
            list.add(added);
        }
    }

    private static <T> List<T> copy(final List<T> list)
    {
        synchronized (list)
        {
            return List.copyOf(list);
        }
    }

    private void claimThread()
    {
        if (null != owner)
        {
            throw new IllegalStateException("worker " + index + " belongs to thread " + owner.getName() +
                ", it was called by thread " + Thread.currentThread().getName());
        }

        owner = Thread.currentThread();
    }

    private void checkOpen()
    {
        checkThread();
        if (!open)
        {
            throw new IllegalStateException("worker " + index + " is closed");
        }
    }

    private void checkPeer(final int peer, final PeerIdentity identity, final String name)
    {
        if (peer != identity.rank())
        {
            throw new IllegalArgumentException("peer=" + peer + ": " + name + " is that of rank " + identity.rank());
        }
    }

    private MappedFile mapping(final Descriptor descriptor)
    {
        if (transport.isOwn(descriptor.identity()))
        {
            return null;
        }

        final PathChoice choice = transport.pathTo(descriptor.identity());
        if (null == choice.path())
        {
            throw new TransportUnavailableException("transport aeron: memory of rank " + descriptor.identity().rank() +
                " cannot be reached: " + choice.reason(), null);
        }

        return DataPath.MAPPED == choice.path() ? transport.mappings().acquire(descriptor) : null;
    }

    private OwnMemory ownMemory(final Descriptor descriptor)
    {
        return transport.isOwn(descriptor.identity()) ? transport.regions().own(descriptor) : null;
    }

    private static TransportException refusal(final String message)
    {
        return new TransportException(message, TransportException.NO_STATUS, null);
    }
}
