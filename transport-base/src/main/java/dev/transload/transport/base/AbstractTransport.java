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
 * What transports have in common: requests are checked before a fabric hears of them, memory and workers are kept until
 * they are closed, and all of it ends in one order. A transport adds where memory comes from, its workers, and whether
 * a peer is reached.
 * <p>
 * Its constructor ends with {@link #control} and the start of that agent.
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
     * Open, without a thread.
     *
     * @param config       of the transport.
     * @param capabilities that were promised.
     * @param identity     by which peers connect; workers' addresses carry it.
     * @param published    the same in peer infos and descriptors: without its contact where that would be too long.
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

    /** {@inheritDoc} In memory of the JVM, unless overridden for a device that needs it elsewhere. */
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

    /** As a crash would, for tests: peers hear no more of it, and no goodbye. */
    public final void halt()
    {
        agent.halt();
    }

    /**
     * Who it is.
     *
     * @return identity, with the contact.
     */
    public final PeerIdentity identity()
    {
        return identity;
    }

    /**
     * Memory of this rank.
     *
     * @return the regions and signals that are open.
     */
    public final RegionTable regions()
    {
        return regions;
    }

    /**
     * The transport's thread.
     *
     * @return the agent, null before {@link #control}.
     */
    public final ControlAgent agent()
    {
        return agent;
    }

    /**
     * For {@link ControlHooks#isOpen}: a transport that implements the hooks itself has it by this.
     *
     * @param worker index.
     * @return whether it is open.
     */
    public final boolean isOpen(final int worker)
    {
        return workers.containsKey(worker);
    }

    /**
     * Make the agent, once; nothing runs before its start.
     *
     * @param medium of control messages, which the agent closes.
     * @param hooks  of the transport.
     * @param idle   strategy of the thread.
     * @return the agent.
     */
    protected final ControlAgent control(
        final ControlMedium medium, final ControlHooks hooks, final AgentIdle idle)
    {
        agent = new ControlAgent(config, identity, medium, hooks, idle);
        return agent;
    }

    /**
     * Whether channels to a peer can be connected, and its memory be imported; asked for each of them.
     *
     * @param peer that may be this rank.
     * @return verdict; its reason is a clause.
     */
    protected abstract Reachability reach(PeerIdentity peer);

    /**
     * Get zeroed memory. The request has been checked.
     *
     * @param id     by which peers will know it, see {@link RegionDescriptor#name(int, int)}; 0 for LOCAL memory.
     * @param kind   of the memory.
     * @param device that owns it.
     * @param length in bytes.
     * @param access who may address it.
     * @return memory, with a {@link RegionMemory#key()} where peers need one.
     * @throws dev.transload.spi.TransportUnavailableException naming what is short and how much was asked for.
     */
    protected abstract RegionMemory allocateMemory(int id, MemoryKind kind, int device, long length, Access access);

    /**
     * Make memory of the caller's known to the fabric. The request has been checked, its access too.
     *
     * @param id      by which peers will know it; 0 for LOCAL memory.
     * @param kind    of the memory.
     * @param device  that owns it.
     * @param address of the first byte.
     * @param length  in bytes.
     * @param access  who may address it.
     * @return memory, which leaves the bytes to their owner; {@link CallerMemory} where nobody must know them.
     * @throws dev.transload.spi.TransportUnavailableException when peers cannot be given access to this memory.
     */
    protected abstract RegionMemory registerMemory(
        int id, MemoryKind kind, int device, long address, long length, Access access);

    /**
     * Get zeroed host memory for signals. The request has been checked.
     *
     * @param id     by which peers will know it.
     * @param length in bytes.
     * @return memory.
     */
    protected abstract SharedMemory allocateSignalMemory(int id, long length);

    /**
     * Make a worker. The request has been checked.
     *
     * @param index of the worker.
     * @return the worker.
     */
    protected abstract AbstractWorker newWorker(int index);

    /** While closing, after the transport's thread has ended: from here on nothing of peers may be applied here. */
    protected void endInbound()
    {
        // Nothing, where only the agent and the workers apply what peers ask for.
    }

    /** At the end of closing, when all memory is gone: give back what the transport itself has. */
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
