/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Access;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Reachability;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.UnsupportedCapabilityException;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Base class of transports. The class checks requests before they reach the fabric, keeps track of open memory and
 * workers, and closes everything in a fixed order. A subclass supplies memory and workers and decides whether a peer
 * can be reached.
 * <p>
 * The constructor of a subclass must end by calling {@link #control} and starting the returned agent.
 */
public abstract class AbstractTransport implements Transport
{
    private final TransportConfig config;
    private final Capabilities capabilities;
    private final PeerIdentity identity;
    private final PeerIdentity published;
    private final RegionTable regions = new RegionTable();
    private final Map<Integer, AbstractWorker> workers = new ConcurrentHashMap<>();
    private final AtomicInteger nextChannelId = new AtomicInteger(1);
    private ControlAgent agent;
    private boolean open = true;

    /**
     * Creates an open transport whose control thread does not run yet.
     *
     * @param config       configuration of the transport.
     * @param capabilities capabilities that the provider promised.
     * @param identity     identity with which peers connect; worker addresses contain it.
     * @param published    identity used in peer infos and descriptors: {@code identity}, or a copy without the contact
     *                     if the contact is too long for them.
     */
    protected AbstractTransport(
        final TransportConfig config,
        final Capabilities capabilities,
        final PeerIdentity identity,
        final PeerIdentity published)
    {
        this.config = config;
        this.capabilities = capabilities;
        this.identity = identity;
        this.published = published;
    }

    @Override
    public final Capabilities capabilities()
    {
        return capabilities;
    }

    @Override
    public final ByteBuffer peerInfo()
    {
        return published.encode();
    }

    @Override
    public final Reachability canReach(final int peer, final ByteBuffer peerInfo)
    {
        final PeerIdentity other = PeerIdentity.decode(identity.transport(), "peerInfo", peerInfo.duplicate());
        if (peer != other.rank())
        {
            throw new IllegalArgumentException("peer=" + peer + ": peerInfo is that of rank " + other.rank());
        }

        return reach(other);
    }

    @Override
    public final synchronized MemoryRegion allocate(
        final MemoryKind kind, final int device, final long length, final Access access)
    {
        checkOpen();
        RequestArguments.checkAllocation(capabilities, kind, device, length);
        final int id = idFor(access);
        return keep(id, kind, device, access, length, allocateMemory(id, kind, device, length, access));
    }

    @Override
    public final synchronized MemoryRegion register(
        final MemoryKind kind, final int device, final long address, final long length, final Access access)
    {
        checkOpen();
        RequestArguments.checkRegistration(capabilities, kind, device, address, length);
        if (Access.LOCAL != access && !capabilities.remoteKinds().contains(kind))
        {
            throw new UnsupportedCapabilityException(identity.transport(), Capability.REGISTER_REMOTE, kind);
        }

        final int id = idFor(access);
        return keep(id, kind, device, access, length, registerMemory(id, kind, device, address, length, access));
    }

    @Override
    public final synchronized SignalRegion allocateSignals(final int count, final int writers)
    {
        checkOpen();
        RequestArguments.checkSignals(capabilities, count, writers);
        final int id = regions.nextId();
        final SharedMemory memory = allocateSignalMemory(id, (long)count * RegionDescriptor.SIGNAL_STRIDE);
        return regions.add(id, new LocalSignals(
            regions, count, memory, describe(RegionDescriptor.SIGNALS, id, count, writers, memory)));
    }

    /**
     * {@inheritDoc} The default implementation allocates a direct buffer. A device transport may override this method.
     */
    @Override
    public RowList allocateRows(final int capacity)
    {
        return RequestArguments.rows(capacity);
    }

    @Override
    public final synchronized Worker openWorker(final int index)
    {
        checkOpen();
        RequestArguments.checkWorker(capabilities, index);
        if (workers.containsKey(index))
        {
            throw new IllegalStateException("index=" + index + ": worker " + index + " is open already");
        }

        final AbstractWorker worker = newWorker(index);
        workers.put(index, worker);
        return worker;
    }

    @Override
    public final void close()
    {
        synchronized (this)
        {
            if (!open)
            {
                return;
            }

            open = false;
        }

        // Not under the lock: the thread that is waited for may be in an error handler which asks us something.
        workers.values().forEach(AbstractWorker::shut);
        workers.clear();
        if (agent.isOwnThread())
        {
            // An error handler: what is given back is still driven by its caller, once it returns.
            final Thread closer =
                new Thread(this::giveBack, "transload-" + identity.transport() + "-" + identity.rank() + "-close");
            closer.setDaemon(true);
            closer.start();
        }
        else
        {
            giveBack();
        }
    }

    /** Stops the transport as a crash would, without notifying its peers. For tests only. */
    public final void halt()
    {
        agent.halt();
    }

    /**
     * Returns the identity of this transport.
     *
     * @return identity, including the contact.
     */
    public final PeerIdentity identity()
    {
        return identity;
    }

    /**
     * Returns the open regions and signals of this rank.
     *
     * @return table of open regions and signals.
     */
    public final RegionTable regions()
    {
        return regions;
    }

    /**
     * Returns the agent that runs the transport's thread.
     *
     * @return the agent, or null if {@link #control} has not been called yet.
     */
    public final ControlAgent agent()
    {
        return agent;
    }

    /**
     * Returns whether a worker is open. This method also implements {@link ControlHooks#isOpen} for a transport that
     * implements {@link ControlHooks}.
     *
     * @param worker index of the worker.
     * @return true if the worker is open.
     */
    public final boolean isOpen(final int worker)
    {
        return workers.containsKey(worker);
    }

    /**
     * Creates the control agent. This method must be called once. The agent does nothing before it is started.
     *
     * @param medium medium for control messages; the agent closes it.
     * @param hooks  callbacks of the transport.
     * @param idle   idle strategy of the transport's thread.
     * @return the agent.
     */
    protected final ControlAgent control(
        final ControlMedium medium, final ControlHooks hooks, final AgentIdle idle)
    {
        agent = new ControlAgent(config, identity, medium, hooks, idle);
        return agent;
    }

    /**
     * Decides whether channels to a peer can be connected and memory of the peer can be imported.
     *
     * @param peer identity of the peer, which may be this rank.
     * @return verdict with a reason. The reason for a negative verdict is a clause, such as <i>it is on another
     *         host</i>.
     */
    protected abstract Reachability reach(PeerIdentity peer);

    /**
     * Allocates zeroed memory. The arguments of the request have already been checked.
     *
     * @param id     ID under which peers address the memory, 0 for LOCAL memory. If the memory is in a file,
     *               {@link RegionDescriptor#name(int, int)} gives the file name for this ID.
     * @param kind   kind of the memory.
     * @param device device that owns the memory.
     * @param length length in bytes.
     * @param access access that peers have to the memory.
     * @return memory; its {@link RegionMemory#key()} is set if peers need a key.
     * @throws dev.transload.spi.TransportUnavailableException if there is too little memory; the message names the
     *                                                         resource that is too small, and the requested size.
     */
    protected abstract RegionMemory allocateMemory(int id, MemoryKind kind, int device, long length, Access access);

    /**
     * Registers memory of the caller with the fabric. The arguments, including the access, have already been checked.
     *
     * @param id      ID under which peers address the memory; 0 for LOCAL memory.
     * @param kind    kind of the memory.
     * @param device  device that owns the memory.
     * @param address address of the first byte.
     * @param length  length in bytes.
     * @param access  access that peers have to the memory.
     * @return memory object whose {@link RegionMemory#free()} does not free the caller's memory; a {@link CallerMemory}
     *         if peers need no key.
     * @throws dev.transload.spi.TransportUnavailableException if peers cannot be given access to this memory.
     */
    protected abstract RegionMemory registerMemory(
        int id, MemoryKind kind, int device, long address, long length, Access access);

    /**
     * Allocates zeroed host memory for signals. The arguments of the request have already been checked.
     *
     * @param id     ID under which peers address the signals.
     * @param length length in bytes.
     * @return memory of at least the requested length.
     */
    protected abstract SharedMemory allocateSignalMemory(int id, long length);

    /**
     * Creates a worker. The arguments of the request have already been checked.
     *
     * @param index index of the worker.
     * @return the new worker.
     */
    protected abstract AbstractWorker newWorker(int index);

    /**
     * Stops applying operations of peers. {@link #close()} calls this method after the transport's thread has ended.
     */
    protected void endInbound()
    {
        // Nothing, where only the agent and the workers apply what peers ask for.
    }

    /**
     * Frees the transport's own resources. {@link #close()} calls this method at its end, when all memory is freed.
     */
    protected void release()
    {
        // Nothing, where it has nothing.
    }

    final int nextChannelId()
    {
        return nextChannelId.getAndIncrement();
    }

    final void forget(final AbstractWorker worker)
    {
        workers.remove(worker.index(), worker);
    }

    private void giveBack()
    {
        agent.close();
        endInbound();
        regions.closeAll();
        release();
    }

    private int idFor(final Access access)
    {
        return Access.LOCAL == access ? 0 : regions.nextId();
    }

    private LocalRegion keep(
        final int id,
        final MemoryKind kind,
        final int device,
        final Access access,
        final long length,
        final RegionMemory memory)
    {
        final ByteBuffer descriptor = 0 == id ? null : describe(RegionDescriptor.REGION, id, length, 0, memory);
        return regions.add(id, new LocalRegion(regions, kind, device, access, length, memory, descriptor));
    }

    /** A descriptor that cannot be made leaves no memory behind. */
    private ByteBuffer describe(
        final int kind, final int id, final long length, final int writers, final RegionMemory memory)
    {
        try
        {
            return new RegionDescriptor(kind, id, length, writers, published, memory.key()).encode();
        }
        catch (final RuntimeException | Error ex)
        {
            memory.free();
            throw ex;
        }
    }

    private void checkOpen()
    {
        if (!open)
        {
            throw new IllegalStateException("the transport of rank " + identity.rank() + " is closed");
        }
    }
}
