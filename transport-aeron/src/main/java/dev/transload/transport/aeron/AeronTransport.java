/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

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
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.BufferMemory;
import dev.transload.transport.base.CallerMemory;
import dev.transload.transport.base.ControlAgent;
import dev.transload.transport.base.HeapMemory;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.LocalSignals;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.base.RegionTable;
import dev.transload.transport.base.RequestArguments;
import dev.transload.transport.base.SharedMemory;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The local resources of one rank. */
final class AeronTransport implements Transport
{
    private final TransportConfig config;
    private final AeronOptions options;
    private final Capabilities capabilities;
    private final PeerIdentity identity;
    private final PrivateDirectory regionDirectory;
    private final InboundOperations inbound;
    private final PeerStreams streams;
    private final ControlAgent agent;
    private final RegionTable regions = new RegionTable();
    private final MappingTable mappings = new MappingTable();
    private final Map<Long, PathChoice> choices = new ConcurrentHashMap<>();
    private final Map<Integer, AeronWorker> workers = new ConcurrentHashMap<>();
    private final AtomicInteger nextChannelId = new AtomicInteger(1);
    private boolean open = true;

    private AeronTransport(
        final TransportConfig config,
        final AeronOptions options,
        final Capabilities capabilities,
        final Resources resources)
    {
        this.config = config;
        this.options = options;
        this.capabilities = capabilities;
        this.identity = resources.identity();
        this.regionDirectory = resources.regionDirectory();
        this.inbound = new InboundOperations(identity, resources.medium().data(), regions);
        this.streams = new PeerStreams(identity, resources.medium(), inbound, workers::containsKey);
        this.agent = new ControlAgent(config, identity, resources.medium(), streams,
            AgentIdle.of(options.idle(), options.maxParkNs()));
        streams.reportTo(agent);
        resources.lostImages().delegate(streams::onLostImage);
        agent.start();
    }

    static AeronTransport open(final TransportConfig config, final AeronOptions options)
    {
        return new AeronTransport(
            config, options, AeronCapabilities.of(options), Resources.open(config, options));
    }

    @Override
    public Capabilities capabilities()
    {
        return capabilities;
    }

    @Override
    public ByteBuffer peerInfo()
    {
        return identity.encode();
    }

    @Override
    public Reachability canReach(final int peer, final ByteBuffer peerInfo)
    {
        final PeerIdentity other = PeerIdentity.decode(AeronOptions.TRANSPORT, "peerInfo", peerInfo.duplicate());
        if (peer != other.rank())
        {
            throw new IllegalArgumentException("peer=" + peer + ": peerInfo is that of rank " + other.rank());
        }

        final PathChoice choice = pathTo(other);
        return new Reachability(null != choice.path(), choice.reason());
    }

    @Override
    public synchronized MemoryRegion allocate(
        final MemoryKind kind, final int device, final long length, final Access access)
    {
        checkOpen();
        RequestArguments.checkAllocation(capabilities, kind, device, length);
        if (Access.LOCAL == access)
        {
            return add(0, access, length, HeapMemory.allocate(AeronOptions.TRANSPORT, length), null);
        }

        final RegionDescriptor descriptor = descriptor(RegionDescriptor.REGION, length, 0);
        return add(descriptor.id(), access, length, memory(descriptor), descriptor.encode());
    }

    @Override
    public synchronized MemoryRegion register(
        final MemoryKind kind, final int device, final long address, final long length, final Access access)
    {
        checkOpen();
        RequestArguments.checkRegistration(capabilities, kind, device, address, length);
        if (Access.LOCAL != access)
        {
            throw new UnsupportedCapabilityException(
                AeronOptions.TRANSPORT, EnumSet.of(Capability.REGISTER_REMOTE));
        }

        return add(0, access, length, new CallerMemory(address), null);
    }

    @Override
    public synchronized SignalRegion allocateSignals(final int count, final int writers)
    {
        checkOpen();
        RequestArguments.checkSignals(capabilities, count, writers);
        final RegionDescriptor descriptor = descriptor(RegionDescriptor.SIGNALS, count, writers);
        return regions.add(descriptor.id(),
            new LocalSignals(regions, count, sharedMemory(descriptor), descriptor.encode()));
    }

    @Override
    public RowList allocateRows(final int capacity)
    {
        return RequestArguments.rows(capacity);
    }

    @Override
    public synchronized Worker openWorker(final int index)
    {
        checkOpen();
        RequestArguments.checkWorker(capabilities, index);
        if (workers.containsKey(index))
        {
            throw new IllegalStateException("index=" + index + ": worker " + index + " is open already");
        }

        final AeronWorker worker = new AeronWorker(this, index);
        workers.put(index, worker);
        return worker;
    }

    @Override
    public void close()
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
        workers.values().forEach(AeronWorker::shut);
        workers.clear();
        agent.close();
        regions.closeAll();
        if (null != regionDirectory)
        {
            regionDirectory.close();
        }
    }

    /** As a crash would, for tests. */
    void halt()
    {
        agent.halt();
    }

    PeerIdentity identity()
    {
        return identity;
    }

    boolean isOwn(final PeerIdentity other)
    {
        return identity.isSame(other);
    }

    PathChoice pathTo(final PeerIdentity peer)
    {
        return isOwn(peer) ? PathChoice.OWN :
            choices.computeIfAbsent(peer.transportId(), (id) -> PathChoice.decide(options, identity, peer));
    }

    int nextChannelId()
    {
        return nextChannelId.getAndIncrement();
    }

    ControlAgent agent()
    {
        return agent;
    }

    PeerStreams streams()
    {
        return streams;
    }

    /** From any thread: nobody uses this stream any more. */
    void closeStream(final OperationStream stream)
    {
        agent.execute(() -> streams.close(stream));
    }

    /** Our own driver runs on the transport's thread: who waits for messages must not wait for its sleep. */
    void wakeDriver()
    {
        if (!options.isExternal())
        {
            agent.wake();
        }
    }

    RegionTable regions()
    {
        return regions;
    }

    MappingTable mappings()
    {
        return mappings;
    }

    AeronOptions options()
    {
        return options;
    }

    InboundOperations inbound()
    {
        return inbound;
    }

    void forget(final AeronWorker worker)
    {
        workers.remove(worker.index(), worker);
    }

    private RegionDescriptor descriptor(final int kind, final long length, final int writers)
    {
        return new RegionDescriptor(kind, regions.nextId(), length, writers, identity, RegionDescriptor.NO_KEY);
    }

    private LocalRegion add(
        final int id, final Access access, final long length, final RegionMemory memory, final ByteBuffer descriptor)
    {
        return regions.add(id, new LocalRegion(regions, MemoryKind.HOST, 0, access, length, memory, descriptor));
    }

    private RegionMemory memory(final RegionDescriptor descriptor)
    {
        return null == regionDirectory ?
            HeapMemory.allocate(AeronOptions.TRANSPORT, descriptor.memoryLength()) : file(descriptor);
    }

    private SharedMemory sharedMemory(final RegionDescriptor descriptor)
    {
        return null == regionDirectory ? new BufferMemory(descriptor.memoryLength()) : file(descriptor);
    }

    private MappedFile file(final RegionDescriptor descriptor)
    {
        return MappedFile.create(regionDirectory.path().resolve(descriptor.name()), descriptor.memoryLength());
    }

    private void checkOpen()
    {
        if (!open)
        {
            throw new IllegalStateException("the transport of rank " + config.rank() + " is closed");
        }
    }
}
