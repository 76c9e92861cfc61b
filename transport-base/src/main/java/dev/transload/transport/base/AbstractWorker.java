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
 * Base class of workers. A worker belongs to one thread and owns channels and imports. Another thread may close the
 * worker with {@link #shut()}, which frees no memory while an operation is running.
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
     * Creates an open worker. The first thread that uses the worker owns it.
     *
     * @param transport transport to which the worker belongs; {@link AbstractTransport#control} must already have been
     *                  called.
     * @param index     index of the worker.
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

    /** {@inheritDoc} The default implementation only checks the argument; host memory needs nothing else. */
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
     * Makes all channels refuse new operations, waits until no operation of another thread is running, and then frees
     * imports, channels and the worker, in this order. Any thread may call this method.
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
     * Begins an operation. No memory is freed before the operation calls {@link #exit()}. This method executes no full
     * memory fence, because a fence would cost more than a small operation. Instead, a thread that closes the worker
     * stops all threads for a moment (see {@link #shut()}). Afterwards either the closing thread sees the flag that
     * this method sets, or the operation sees the new state of its channel.
     */
    public final void enter()
    {
        checkThread();
        BUSY.setOpaque(this, true);
    }

    /** Ends an operation that began with {@link #enter()}. */
    public final void exit()
    {
        BUSY.setRelease(this, false);
    }

    /**
     * Returns whether the worker is open.
     *
     * @return false if the worker is closed or is being closed.
     */
    public final boolean isOpen()
    {
        return open;
    }

    /**
     * Returns the index of the worker within the transport.
     *
     * @return index, starting at 0.
     */
    public final int index()
    {
        return index;
    }

    /** Checks that the calling thread owns the worker. The first caller becomes the owner. */
    public final void checkThread()
    {
        if (Thread.currentThread() != owner)
        {
            claimThread();
        }
    }

    /** Checks that the calling thread owns the worker and that the worker is open. */
    protected final void checkOpen()
    {
        checkThread();
        if (!open)
        {
            throw new IllegalStateException("worker " + index + " is closed");
        }
    }

    /**
     * Creates a channel in the state {@code NOT_CONNECTED}. This method also creates channels to unreachable peers; the
     * worker makes them fail afterwards.
     *
     * @param id          ID of the channel, unique within the transport.
     * @param identity    identity of the peer.
     * @param incarnation incarnation that the peer must have; see {@link dev.transload.spi.Worker#connect}.
     * @return the new channel.
     */
    protected abstract AbstractChannel newChannel(int id, PeerIdentity identity, long incarnation);

    /**
     * Frees the worker's own resources. This method is called once, by any thread, when all channels and imports are
     * closed.
     */
    protected void release()
    {
        // Nothing, where it has nothing.
    }

    /**
     * Imports memory of a peer. The worker keeps the import until the import is closed.
     *
     * @param kind       kind that the descriptor must have, {@link RegionDescriptor#REGION} or
     *                   {@link RegionDescriptor#SIGNALS}.
     * @param peer       rank of the owner.
     * @param descriptor descriptor received from the peer.
     * @param maker      function that creates the import. The first argument is the descriptor. The second argument is
     *                   the memory if this rank owns it, otherwise null.
     * @param <T>        type of the import.
     * @return the new import.
     * @throws IllegalArgumentException if the descriptor has a kind other than {@code kind}, belongs to a rank other
     *                                  than {@code peer}, was created by a transport with another name, or refers to
     *                                  closed memory of this rank.
     * @throws IllegalStateException    if the worker was closed before or during this call. If the worker was closed
     *                                  during the call, this method releases the new import.
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
     * Imports memory of a peer like {@link #importMemory}, but refuses memory of an unreachable owner.
     *
     * @param kind       kind that the descriptor must have.
     * @param peer       rank of the owner.
     * @param descriptor descriptor received from the peer.
     * @param maker      function that creates the import. The first argument is the descriptor. The second argument is
     *                   the memory if this rank owns it, otherwise null.
     * @param <T>        type of the import.
     * @return the new import.
     * @throws TransportUnavailableException if the transport cannot reach the owner.
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
     * Returns the channels of the worker. Only the worker's thread may call this method.
     *
     * @return live list of channels. A loop over the list must use an index, because a channel may be removed during
     *         the loop.
     */
    protected final List<AbstractChannel> channels()
    {
        return channels;
    }

    /**
     * Returns whether a region belongs to this worker's transport.
     *
     * @param region region of any transport.
     * @return true if operations of this worker may use the region.
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
