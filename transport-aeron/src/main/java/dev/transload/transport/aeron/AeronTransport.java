/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractTransport;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.BufferMemory;
import dev.transload.transport.base.CallerMemory;
import dev.transload.transport.base.HeapMemory;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.base.MappingTable;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.PrivateDirectory;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.base.SharedMemory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The local resources of one rank: memory that peers map as files, or reach by messages. */
final class AeronTransport extends AbstractTransport
{
    private final AeronOptions options;
    private final PrivateDirectory regionDirectory;
    private final InboundOperations inbound;
    private final PeerStreams streams;
    private final MappingTable mappings = new MappingTable();
    private final Map<Long, PathChoice> choices = new ConcurrentHashMap<>();

    private AeronTransport(final TransportConfig config, final AeronOptions options, final Resources resources)
    {
        super(config, AeronCapabilities.of(options), resources.identity(), resources.identity());
        this.options = options;
        this.regionDirectory = resources.regionDirectory();
        this.inbound = new InboundOperations(identity(), resources.medium().data(), regions());
        this.streams = new PeerStreams(identity(), resources.medium(), inbound, this::isOpen);
        streams.reportTo(control(resources.medium(), streams, AgentIdle.of(options.idle(), options.maxParkNs())));
        resources.lostImages().delegate(streams::onLostImage);
        agent().start();
    }

    static AeronTransport open(final TransportConfig config, final AeronOptions options)
    {
        return new AeronTransport(config, options, Resources.open(config, options));
    }

    @Override
    protected Reachability reach(final PeerIdentity peer)
    {
        final PathChoice choice = pathTo(peer);
        return new Reachability(null != choice.path(), choice.reason());
    }

    @Override
    protected RegionMemory allocateMemory(
        final int id, final MemoryKind kind, final int device, final long length, final Access access)
    {
        return Access.LOCAL == access || null == regionDirectory ?
            HeapMemory.allocate(AeronOptions.TRANSPORT, length) : file(RegionDescriptor.REGION, id, length);
    }

    @Override
    protected RegionMemory registerMemory(
        final int id, final MemoryKind kind, final int device, final long address, final long length,
        final Access access)
    {
        return new CallerMemory(address);
    }

    @Override
    protected SharedMemory allocateSignalMemory(final int id, final long length)
    {
        return null == regionDirectory ? new BufferMemory(length) : file(RegionDescriptor.SIGNALS, id, length);
    }

    @Override
    protected AbstractWorker newWorker(final int index)
    {
        return new AeronWorker(this, index);
    }

    @Override
    protected void release()
    {
        if (null != regionDirectory)
        {
            regionDirectory.close();
        }
    }

    boolean isOwn(final PeerIdentity other)
    {
        return identity().isSame(other);
    }

    PathChoice pathTo(final PeerIdentity peer)
    {
        return isOwn(peer) ? PathChoice.OWN :
            choices.computeIfAbsent(peer.transportId(), (id) -> PathChoice.decide(options, identity(), peer));
    }

    PeerStreams streams()
    {
        return streams;
    }

    /** From any thread: nobody uses this stream any more. */
    void closeStream(final OperationStream stream)
    {
        agent().execute(() -> streams.close(stream));
    }

    /** Our own driver runs on the transport's thread: a thread that waits for messages must not wait for its sleep. */
    void wakeDriver()
    {
        if (!options.isExternal())
        {
            agent().wake();
        }
    }

    /** Passes of our own driver, or -1 if it is not ours to run. */
    long driverPasses()
    {
        return options.isExternal() ? -1 : agent().passes();
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

    private MappedFile file(final int kind, final int id, final long length)
    {
        return MappedFile.create(AeronOptions.TRANSPORT,
            regionDirectory.path().resolve(RegionDescriptor.name(kind, id)), length);
    }
}
