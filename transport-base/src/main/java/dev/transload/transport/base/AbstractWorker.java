/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Capabilities;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Reachability;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * What workers have in common: the thread that they belong to, their channels and imports, and an end that another
 * thread may bring about without taking memory away from under an operation.
 */
public abstract class AbstractWorker implements Worker
{
    private static final VarHandle BUSY;

    private final AbstractTransport transport;
    private final int index;
    private final PeerIdentity own;
    private final RegionTable regions;
    private final ControlAgent agent;
    private final ByteBuffer address;
    private final List<AbstractChannel> channels = new ArrayList<>();
    private final List<Import> imports = new ArrayList<>();
    private volatile Thread owner;
    private volatile boolean open = true;
    private volatile boolean busy;
    private boolean released;

    static
    {
        try
        {
            BUSY = MethodHandles.lookup().findVarHandle(AbstractWorker.class, "busy", boolean.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    /**
     * Open; the first thread that uses it owns it.
     *
     * @param transport that it belongs to, whose agent has been made.
     * @param index     of the worker.
     */
    protected AbstractWorker(final AbstractTransport transport, final int index)
    {
        this.transport = transport;
        this.index = index;
        this.own = transport.identity();
        this.regions = transport.regions();
        this.agent = transport.agent();
        this.address = new WorkerAddress(index, own).encode();
    }

    @Override
    public final ByteBuffer address()
    {
        return address.duplicate();
    }

    @Override
    public final Channel connect(final int peer, final long incarnation, final ByteBuffer peerAddress)
    {
        final WorkerAddress target = decodeAddress(peer, peerAddress);
        enter();
        try
        {
            checkOpen();
            final AbstractChannel channel = newChannel(transport.nextChannelId(), target.identity(), incarnation);
            begin(channel, target);
            return channel;
        }
        finally
        {
            exit();
        }
    }

    /** {@inheritDoc} Only checks the argument, which is all that host memory needs. */
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
    public final void close()
    {
        if (open)
        {
            checkThread();
            shut();
            transport.forget(this);
        }
    }

    /**
     * From any thread: closes channels and imports, once no operation is under way; imports are released first, then
     * channels, then what the worker itself has.
     */
    public final void shut()
    {
        open = false;
        final List<AbstractChannel> openChannels = copy(channels);
        openChannels.forEach(AbstractChannel::shut);
        if (Thread.currentThread() != owner)
        {
            StoppedThreads.look();
        }

        while (busy && Thread.currentThread() != owner)
        {
            Thread.onSpinWait();
        }

        openChannels.forEach(agent::disconnect);
        copy(imports).forEach(Import::release);
        openChannels.forEach(AbstractChannel::releaseOnce);
        releaseOnce();
    }

    /**
     * Begin an operation: from here to {@link #exit()} nobody takes memory away. A full fence after each write to
     * memory that a peer looks at would cost more than a small operation itself, so that there is none here: the
     * thread that closes the worker has all threads stopped instead (see {@link #shut()}), and after that sees this
     * flag, or this thread sees the state of its channel.
     */
    public final void enter()
    {
        checkThread();
        BUSY.setOpaque(this, true);
    }

    /** End an operation. */
    public final void exit()
    {
        BUSY.setRelease(this, false);
    }

    /**
     * Whether it is open.
     *
     * @return false once it is being closed.
     */
    public final boolean isOpen()
    {
        return open;
    }

    /**
     * Number of the worker.
     *
     * @return index within the transport.
     */
    public final int index()
    {
        return index;
    }

    /** The caller must be the thread that owns the worker; the first one becomes it. */
    public final void checkThread()
    {
        if (Thread.currentThread() != owner)
        {
            claimThread();
        }
    }

    /** As {@link #checkThread()}, and the worker must be open. */
    protected final void checkOpen()
    {
        checkThread();
        if (!open)
        {
            throw new IllegalStateException("worker " + index + " is closed");
        }
    }

    /**
     * Make a channel, which begins as {@code NOT_CONNECTED}. Peers out of reach have channels too, which then fail.
     *
     * @param id          unique to the transport.
     * @param identity    of the peer.
     * @param incarnation of the peer that is meant.
     * @return the channel.
     */
    protected abstract AbstractChannel newChannel(int id, PeerIdentity identity, long incarnation);

    /** Once, when all channels and imports are closed: give back what the worker itself has. From any thread. */
    protected void release()
    {
        // Nothing, where it has nothing.
    }

    /**
     * Import memory of a peer, which is kept until it is closed.
     *
     * @param kind       which it must have, {@link RegionDescriptor#REGION} or {@link RegionDescriptor#SIGNALS}.
     * @param peer       rank that is meant.
     * @param descriptor from it.
     * @param maker      gets the descriptor, and the memory of this rank that it stands for, or null.
     * @param <T>        of the import.
     * @return the import.
     * @throws IllegalArgumentException when it is no descriptor of this transport, kind and rank, or the memory is this
     *                                  rank's, and closed.
     * @throws IllegalStateException    when the worker is closed; the import has been released then.
     */
    protected final <T extends Import> T importMemory(
        final int kind,
        final int peer,
        final ByteBuffer descriptor,
        final BiFunction<RegionDescriptor, OwnMemory, T> maker)
    {
        checkOpen();
        final RegionDescriptor decoded = RegionDescriptor.decode(own.transport(), kind, descriptor);
        checkPeer(peer, decoded.owner(), "descriptor");
        final T imported =
            maker.apply(decoded, own.isSame(decoded.owner()) ? regions.own(decoded) : null);
        try
        {
            add(imports, imported);
            return imported;
        }
        catch (final IllegalStateException ex)
        {
            imported.release();
            throw ex;
        }
    }

    /**
     * As {@link #importMemory}, and refused where the owner is out of reach: nobody could use the import.
     *
     * @param kind       which it must have.
     * @param peer       rank that is meant.
     * @param descriptor from it.
     * @param maker      gets the descriptor, and the memory of this rank that it stands for, or null.
     * @param <T>        of the import.
     * @return the import.
     * @throws TransportUnavailableException when the transport does not reach the owner.
     */
    protected final <T extends Import> T importReachable(
        final int kind,
        final int peer,
        final ByteBuffer descriptor,
        final BiFunction<RegionDescriptor, OwnMemory, T> maker)
    {
        return importMemory(kind, peer, descriptor, (decoded, memory) ->
        {
            final Reachability reach = transport.reach(decoded.owner());
            if (!reach.reachable())
            {
                throw new TransportUnavailableException("transport " + own.transport() + ": memory of rank " +
                    decoded.owner().rank() + " cannot be reached: " + reach.reason(), null);
            }

            return maker.apply(decoded, memory);
        });
    }

    /**
     * The channels, for the worker's thread alone; it goes over them in its progress.
     *
     * @return list that changes as channels come and go; a channel that closes amid a loop over them may leave it, so
     *         loop by index, as {@link CopyWorker} does.
     */
    protected final List<AbstractChannel> channels()
    {
        return channels;
    }

    /**
     * Whether a region is one of this transport.
     *
     * @param region of any transport.
     * @return whether operations of this worker may use it.
     */
    protected final boolean owns(final LocalRegion region)
    {
        return region.belongsTo(regions);
    }

    final Capabilities capabilities()
    {
        return transport.capabilities();
    }

    final RegionTable regions()
    {
        return regions;
    }

    final void forget(final AbstractChannel channel)
    {
        synchronized (channels)
        {
            channels.remove(channel);
        }

        agent.disconnect(channel);
    }

    final void forget(final Import imported)
    {
        synchronized (imports)
        {
            imports.remove(imported);
        }
    }

    private WorkerAddress decodeAddress(final int peer, final ByteBuffer peerAddress)
    {
        final WorkerAddress target = WorkerAddress.decode(own.transport(), peerAddress);
        checkPeer(peer, target.identity(), "peerAddress");
        return target;
    }

    /** Keep a new channel and begin its handshake; to the own rank it is connected at once. */
    private void begin(final AbstractChannel channel, final WorkerAddress target)
    {
        keep(channel);
        final PeerIdentity peer = target.identity();
        final Reachability reach = transport.reach(peer);
        if (channel.incarnation() != peer.incarnation())
        {
            channel.fail(refusal("incarnation " + channel.incarnation() + " of rank " + peer.rank() +
                " is meant, the address is that of incarnation " + peer.incarnation()));
        }
        else if (!reach.reachable())
        {
            channel.fail(refusal("rank " + peer.rank() + " cannot be reached: " + reach.reason()));
        }
        else if (own.isSame(peer))
        {
            channel.grant();
            channel.progress();
        }
        else
        {
            agent.connect(channel, target.worker());
        }
    }

    private void keep(final AbstractChannel channel)
    {
        try
        {
            add(channels, channel);
        }
        catch (final IllegalStateException ex)
        {
            channel.shut();
            channel.releaseOnce();
            throw ex;
        }
    }

    private synchronized void releaseOnce()
    {
        if (!released)
        {
            released = true;
            release();
        }
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

    private void checkPeer(final int peer, final PeerIdentity identity, final String name)
    {
        if (peer != identity.rank())
        {
            throw new IllegalArgumentException("peer=" + peer + ": " + name + " is that of rank " + identity.rank());
        }
    }

    private TransportException refusal(final String message)
    {
        return new TransportException("transport " + own.transport() + ": " + message, TransportException.NO_STATUS,
            null);
    }
}
