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
    private final ControlAgent agent;
    private final RegionTable regions = new RegionTable();
    private final MappingTable mappings = new MappingTable();
    private final Map<Long, PathChoice> choices = new ConcurrentHashMap<>();
    private final Map<Integer, AeronWorker> workers = new ConcurrentHashMap<>();
    private final AtomicInteger nextChannelId = new AtomicInteger(1);
    private int nextRegionId = 1;
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
        this.agent = new ControlAgent(config.rank(), options, resources.medium(),
            new PeerLinks(config, identity, resources.medium(), inbound, this::isWorkerOpen));
        resources.lostImages().delegate(agent::onLostImage);
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
        final ByteBuffer to = ByteBuffer.allocate(Descriptor.MAX_LENGTH);
        identity.encode(to);
        return PeerIdentity.bytes(to);
    }

    @Override
    public Reachability canReach(final int peer, final ByteBuffer peerInfo)
    {
        final PeerIdentity other = PeerIdentity.decode("peerInfo", peerInfo.duplicate());
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
        checkRequest(kind, device, length);
        if (length > capabilities.maxRegionLength())
        {
            throw new IllegalArgumentException("length=" + length + ": at most " + capabilities.maxRegionLength() +
                " bytes can be mapped at once");
        }

        if (Access.LOCAL == access)
        {
            return add(0, new LocalRegion(regions, access, length, HeapMemory.allocate(length), null));
        }

        final Descriptor descriptor = new Descriptor(Descriptor.REGION, nextRegionId++, length, 0, identity);
        return add(descriptor.id(),
            new LocalRegion(regions, access, length, memory(descriptor), descriptor.encode()));
    }

    @Override
    public synchronized MemoryRegion register(
        final MemoryKind kind, final int device, final long address, final long length, final Access access)
    {
        checkRequest(kind, device, length);
        if (0 == address)
        {
            throw new IllegalArgumentException("address=0: there is no memory");
        }

        if (Access.LOCAL != access)
        {
            throw new UnsupportedCapabilityException(
                AeronOptions.TRANSPORT, EnumSet.of(Capability.REGISTER_REMOTE));
        }

        return add(0, new LocalRegion(regions, access, length, new CallerMemory(address), null));
    }

    @Override
    public synchronized SignalRegion allocateSignals(final int count, final int writers)
    {
        checkOpen();
        if (count <= 0 || (long)count * Descriptor.SIGNAL_STRIDE > capabilities.maxRegionLength())
        {
            throw new IllegalArgumentException("count=" + count + ": must be in [1, " +
                capabilities.maxRegionLength() / Descriptor.SIGNAL_STRIDE + "]");
        }

        if (writers <= 0)
        {
            throw new IllegalArgumentException("writers=" + writers + ": must be positive");
        }

        final Descriptor descriptor =
            new Descriptor(Descriptor.SIGNALS, nextRegionId++, count, writers, identity);
        final LocalSignals signals = new LocalSignals(regions, count, sharedMemory(descriptor), descriptor.encode());
        regions.add(descriptor.id(), signals);
        return signals;
    }

    @Override
    public RowList allocateRows(final int capacity)
    {
        if (capacity < 0)
        {
            throw new IllegalArgumentException("capacity=" + capacity + ": must not be negative");
        }

        return new RowList(ByteBuffer.allocateDirect(Math.multiplyExact(capacity, RowList.STRIDE)), capacity);
    }

    @Override
    public synchronized Worker openWorker(final int index)
    {
        checkOpen();
        if (index < 0 || index >= capabilities.maxWorkers())
        {
            throw new IllegalArgumentException("index=" + index + ": must be in [0, " + capabilities.maxWorkers() +
                ")");
        }

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
        return identity.transportId() == other.transportId();
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

    private boolean isWorkerOpen(final int index)
    {
        return workers.containsKey(index);
    }

    private LocalRegion add(final int id, final LocalRegion region)
    {
        regions.add(id, region);
        return region;
    }

    private RegionMemory memory(final Descriptor descriptor)
    {
        return null == regionDirectory ? HeapMemory.allocate(descriptor.memoryLength()) : file(descriptor);
    }

    private SharedMemory sharedMemory(final Descriptor descriptor)
    {
        return null == regionDirectory ? new BufferMemory(descriptor.memoryLength()) : file(descriptor);
    }

    private MappedFile file(final Descriptor descriptor)
    {
        return MappedFile.create(regionDirectory.path().resolve(descriptor.fileName()), descriptor.memoryLength());
    }

    private void checkRequest(final MemoryKind kind, final int device, final long length)
    {
        checkOpen();
        if (!MemoryKind.HOST.equals(kind))
        {
            throw new IllegalArgumentException("kind=" + kind + ": transport aeron has HOST memory only");
        }

        if (0 != device)
        {
            throw new IllegalArgumentException("device=" + device + ": HOST memory has device 0 only");
        }

        if (length <= 0)
        {
            throw new IllegalArgumentException("length=" + length + ": must be positive");
        }
    }

    private void checkOpen()
    {
        if (!open)
        {
            throw new IllegalStateException("the transport of rank " + config.rank() + " is closed");
        }
    }
}
