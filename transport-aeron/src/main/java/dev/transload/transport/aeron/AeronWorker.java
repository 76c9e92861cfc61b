/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A progress domain: channels and imports of one thread. */
final class AeronWorker implements Worker
{
    private final AeronTransport transport;
    private final int index;
    private final ByteBuffer address;
    private final List<AeronChannel> channels = new ArrayList<>();
    private final List<Import> imports = new ArrayList<>();
    private volatile Thread owner;
    private volatile boolean open = true;

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
        final AeronChannel channel = DataPath.MESSAGES == choice.path() ?
            transport.openMessageChannel(this, identity, incarnation) :
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
            channels.add(channel);
            if (transport.isOwn(identity))
            {
                channel.markConnected();
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
        imports.add(region);
        return region;
    }

    @Override
    public RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        checkOpen();
        final Descriptor decoded = Descriptor.decode(Descriptor.SIGNALS, descriptor);
        checkPeer(peer, decoded.identity(), "descriptor");
        final ImportedSignals signals = new ImportedSignals(this, decoded, mapping(decoded), ownMemory(decoded));
        imports.add(signals);
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

        return work;
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
            close(true);
            transport.forget(this);
        }
    }

    /**
     * Close channels, then imports.
     *
     * @param quiescent whether no other thread can be in an operation of this worker.
     */
    void close(final boolean quiescent)
    {
        open = false;
        for (final AeronChannel channel : List.copyOf(channels))
        {
            channel.shut();
            transport.agent().disconnect(channel);
        }

        for (final Import imported : List.copyOf(imports))
        {
            imported.release(quiescent);
        }

        if (quiescent)
        {
            channels.clear();
            imports.clear();
        }
    }

    /** Whether its thread cannot be in an operation now, as seen by the calling thread. */
    boolean isQuiescent()
    {
        final Thread driver = owner;
        return null == driver || driver == Thread.currentThread() || !driver.isAlive();
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
        channels.remove(channel);
        transport.agent().disconnect(channel);
    }

    void forget(final Import imported)
    {
        imports.remove(imported);
    }

    void checkThread()
    {
        if (Thread.currentThread() != owner)
        {
            claimThread();
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
