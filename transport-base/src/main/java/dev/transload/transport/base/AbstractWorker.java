/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What workers have in common: the thread that they belong to, their channels and imports, and an end that another
 * thread may bring about without taking memory away from under an operation.
 */
public abstract class AbstractWorker implements Worker
{
    private static final VarHandle BUSY;

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
     * @param index   of the worker.
     * @param own     identity of the transport.
     * @param regions of the transport.
     * @param agent   of the transport.
     */
    protected AbstractWorker(
        final int index, final PeerIdentity own, final RegionTable regions, final ControlAgent agent)
    {
        this.index = index;
        this.own = own;
        this.regions = regions;
        this.agent = agent;
        this.address = new WorkerAddress(index, own).encode();
    }

    @Override
    public final ByteBuffer address()
    {
        return address.duplicate();
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
            onClosed();
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
     * memory that a peer looks at would cost more than a small operation itself, so that there is none here: whoever
     * closes the worker has all threads stopped instead (see {@link #shut()}), and after that sees this flag, or this
     * thread sees the state of its channel.
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

    /** After {@link #close()}: the transport may forget it. */
    protected void onClosed()
    {
        // Nothing, where nobody keeps it.
    }

    /** Once, when all channels and imports are closed: give back what the worker itself has. From any thread. */
    protected void release()
    {
        // Nothing, where it has nothing.
    }

    /**
     * Read where a peer's worker is.
     *
     * @param peer        rank that is meant.
     * @param peerAddress from its worker.
     * @return the address.
     * @throws IllegalArgumentException when it is none of this transport, or another rank's.
     */
    protected final WorkerAddress decodeAddress(final int peer, final ByteBuffer peerAddress)
    {
        final WorkerAddress target = WorkerAddress.decode(own.transport(), peerAddress);
        checkPeer(peer, target.identity(), "peerAddress");
        return target;
    }

    /**
     * Read what memory a peer offers.
     *
     * @param kind       which it must have, {@link RegionDescriptor#REGION} or {@link RegionDescriptor#SIGNALS}.
     * @param peer       rank that is meant.
     * @param descriptor from it.
     * @return the descriptor.
     * @throws IllegalArgumentException when it is none of this transport and kind, or another rank's.
     */
    protected final RegionDescriptor decodeDescriptor(final int kind, final int peer, final ByteBuffer descriptor)
    {
        final RegionDescriptor decoded = RegionDescriptor.decode(own.transport(), kind, descriptor);
        checkPeer(peer, decoded.owner(), "descriptor");
        return decoded;
    }

    /**
     * The memory of this rank that a descriptor stands for.
     *
     * @param descriptor of any rank.
     * @return the memory, or null for another rank's.
     * @throws IllegalArgumentException when it is this rank's, and closed.
     */
    protected final OwnMemory ownMemory(final RegionDescriptor descriptor)
    {
        return own.isSame(descriptor.owner()) ? regions.own(descriptor) : null;
    }

    /**
     * Keep a new channel and begin its handshake; to the own rank it is connected at once.
     *
     * @param channel  that is new.
     * @param target   of the channel.
     * @param obstacle a clause that says why the peer can't be reached, with which the channel fails, or null.
     * @throws IllegalStateException when the worker is closed; the channel has been released then.
     */
    protected final void begin(final AbstractChannel channel, final WorkerAddress target, final String obstacle)
    {
        keep(channel);
        final PeerIdentity peer = target.identity();
        if (channel.incarnation() != peer.incarnation())
        {
            channel.fail(refusal("incarnation " + channel.incarnation() + " of rank " + peer.rank() +
                " is meant, the address is that of incarnation " + peer.incarnation()));
        }
        else if (null != obstacle)
        {
            channel.fail(refusal("rank " + peer.rank() + " cannot be reached: " + obstacle));
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

    /**
     * Keep an import until it is closed.
     *
     * @param imported that is new.
     * @param <T>      of the import.
     * @return the import.
     * @throws IllegalStateException when the worker is closed; the import has been released then.
     */
    protected final <T extends Import> T add(final T imported)
    {
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
     * The channels, for the worker's thread alone; it goes over them in its progress.
     *
     * @return list that changes as channels come and go.
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
