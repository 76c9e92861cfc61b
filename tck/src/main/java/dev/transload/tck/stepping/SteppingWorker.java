/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Progress domain of a stepping transport, confined to the first thread that drives it. */
final class SteppingWorker implements Worker
{
    private static final int MAX_STEPS_A_PROGRESS = 3;

    private final SteppingTransport transport;
    private final SteppingFabric fabric;
    private final int index;
    private final List<SteppingChannel> channels = new ArrayList<>();
    private int opened;
    private Thread owner;
    private boolean closed;

    SteppingWorker(final SteppingTransport transport, final int index)
    {
        this.transport = transport;
        this.fabric = transport.fabric();
        this.index = index;
    }

    @Override
    public ByteBuffer address()
    {
        return transport.describe(Descriptors.WORKER, index, 0);
    }

    @Override
    public Channel connect(final int peer, final long incarnation, final ByteBuffer peerAddress)
    {
        synchronized (fabric)
        {
            enter("connect");
            transport.checkPeer(peer);
            final Descriptors address =
                Descriptors.decode("peerAddress", Descriptors.WORKER, transport.network().id(), peerAddress);
            SteppingTransport.checkRank("peerAddress", peer, address.rank());
            if (fabric.has(Fault.CON_5))
            {
                for (final SteppingChannel earlier : channels)
                {
                    if (earlier.peer() == peer)
                    {
                        return earlier;
                    }
                }
            }

            final SteppingChannel channel = new SteppingChannel(
                this, opened++, new Connection(transport, peer, incarnation, address));
            channels.add(channel);
            channel.begin();
            return channel;
        }
    }

    @Override
    public RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        synchronized (fabric)
        {
            enter("importRegion");
            final Descriptors decoded = decode(peer, Descriptors.REGION, descriptor);
            return new SteppingRemoteRegion(this, decoded, inPlace(decoded));
        }
    }

    @Override
    public RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        synchronized (fabric)
        {
            enter("importSignals");
            return new SteppingRemoteSignals(this, decode(peer, Descriptors.SIGNALS, descriptor));
        }
    }

    @Override
    public int progress()
    {
        synchronized (fabric)
        {
            enter("progress");
            if (transport.isPaused() || transport.isGone())
            {
                return 0;
            }

            fabric.schedule().tick();
            int work = transport.refreshMirrors();
            final int count = channels.size();
            if (count > 0)
            {
                for (int i = fabric.chance().below(MAX_STEPS_A_PROGRESS); i > 0; i--)
                {
                    channels.get(fabric.chance().below(count)).step();
                }
            }

            transport.network().stepInbound(transport);
            for (int i = 0; i < count; i++)
            {
                work += channels.get(i).report();
            }

            return work;
        }
    }

    @Override
    public void acquire(final MemoryRegion region)
    {
        synchronized (fabric)
        {
            enter("acquire");
            if (!fabric.has(Fault.ORD_3))
            {
                own("acquire", region).acquire(fabric.nextSubmission());
            }
        }
    }

    @Override
    public void close()
    {
        synchronized (fabric)
        {
            if (closed)
            {
                return;
            }

            List.copyOf(channels).forEach(SteppingChannel::close);
            closed = true;
            transport.forget(this);
        }
    }

    SteppingTransport transport()
    {
        return transport;
    }

    int index()
    {
        return index;
    }

    boolean isClosed()
    {
        return closed;
    }

    void confine(final String what)
    {
        final Thread current = Thread.currentThread();
        if (null == owner)
        {
            owner = current;
        }
        else if (owner != current)
        {
            throw new IllegalStateException(what + ": worker " + index + " of rank " + transport.rank() +
                " is confined to thread " + owner.getName() + ", called by " + current.getName() + " (THR-1)");
        }
    }

    void forget(final SteppingChannel channel)
    {
        if (!closed)
        {
            channels.remove(channel);
        }

        if (fabric.has(Fault.CLS_5))
        {
            List.copyOf(channels).forEach(SteppingChannel::close);
        }
    }

    void kill()
    {
        channels.forEach(SteppingChannel::kill);
    }

    void channelsTo(final SteppingTransport peer, final Consumer<SteppingChannel> action)
    {
        for (int i = 0; i < channels.size(); i++)
        {
            if (channels.get(i).connection().isTo(peer))
            {
                action.accept(channels.get(i));
            }
        }
    }

    /** The channel to a peer that was opened last. */
    SteppingChannel newestTo(final int peer)
    {
        SteppingChannel newest = null;
        for (int i = 0; i < channels.size(); i++)
        {
            newest = channels.get(i).peer() == peer ? channels.get(i) : newest;
        }

        return newest;
    }

    /** Whether any channel to a peer waits for kernels. */
    boolean waitsForKernels(final int peer)
    {
        for (int i = 0; i < channels.size(); i++)
        {
            if (channels.get(i).peer() == peer && channels.get(i).waitsForKernels())
            {
                return true;
            }
        }

        return false;
    }

    SteppingRegion own(final String what, final MemoryRegion region)
    {
        if (!(region instanceof SteppingRegion) || ((SteppingRegion)region).owner() != transport)
        {
            throw new IllegalArgumentException(
                what + ": the region is not of this transport of rank " + transport.rank() + ": register it here");
        }

        final SteppingRegion own = (SteppingRegion)region;
        if (own instanceof SteppingWindow && fabric.has(Fault.WIN_6))
        {
            throw new IllegalArgumentException(what + ": the region is a window");
        }

        if (!fabric.has(Fault.MIS_3))
        {
            own.checkOpen();
        }

        return own;
    }

    void checkImport(final SteppingChannel channel, final String what, final int rank, final boolean isClosed)
    {
        if (!fabric.has(Fault.MIS_2) && (channel.worker() != this || channel.peer() != rank))
        {
            throw new IllegalArgumentException(what + ": the import is of another worker or of rank " + rank +
                ", must be of this channel's worker and of its peer " + channel.peer());
        }

        if (isClosed && !fabric.has(Fault.MIS_3))
        {
            throw new IllegalStateException(what + ": the import from rank " + rank + " is closed");
        }
    }

    private SteppingRegion inPlace(final Descriptors region)
    {
        final SteppingTransport peer = transport.network().living(region.rank(), region.incarnation());
        final boolean isLost = fabric.has(Fault.WIN_1) && peer == transport;
        return null == peer || isLost || !transport.capabilities().has(Capability.WINDOWS) ? null :
            peer.region(region.id());
    }

    private Descriptors decode(final int peer, final byte type, final ByteBuffer descriptor)
    {
        transport.checkPeer(peer);
        final Descriptors decoded =
            Descriptors.decode("descriptor", type, transport.network().id(), descriptor);
        if (!fabric.has(Descriptors.REGION == type ? Fault.MEM_7 : Fault.SIG_6))
        {
            SteppingTransport.checkRank("descriptor", peer, decoded.rank());
        }

        return decoded;
    }

    private void enter(final String what)
    {
        confine(what);
        if (closed)
        {
            throw new IllegalStateException(
                what + ": worker " + index + " of rank " + transport.rank() + " is closed");
        }
    }
}
