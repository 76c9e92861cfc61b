/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Access;
import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.TransportConfig;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A transport of plain workers, which writes down what is taken from it and given back. */
final class PlainTransport extends AbstractTransport
{
    static final Capabilities CAPABILITIES = Capabilities.builder(Ranks.TRANSPORT, "Carrier 1", 1 << 20)
        .regionAtomics(AtomicScope.SYSTEM).with(Capability.SHARED_SIGNALS, Capability.WINDOWS).maxWorkers(4).build();

    private static final long MAX_PARK_NS = 4_000_000;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private String obstacle;

    private PlainTransport(final PeerIdentity identity, final Capabilities capabilities)
    {
        super(TransportConfig.builder().rank(identity.rank()).worldSize(8).build(), capabilities, identity,
            identity.withoutContact());
    }

    /** Without a thread, for those who look at channels alone. */
    static PlainTransport withoutAgent(final PeerIdentity identity)
    {
        return new PlainTransport(identity, CAPABILITIES);
    }

    static PlainTransport open(final PeerIdentity identity, final ControlMedium medium)
    {
        return open(identity, medium, CAPABILITIES);
    }

    static PlainTransport open(
        final PeerIdentity identity, final ControlMedium medium, final Capabilities capabilities)
    {
        final PlainTransport transport = new PlainTransport(identity, capabilities);
        transport.control(medium, transport::isOpen, AgentIdle.of("backoff", MAX_PARK_NS)).start();
        return transport;
    }

    void obstruct(final String clause)
    {
        obstacle = clause;
    }

    List<String> events()
    {
        return events;
    }

    @Override
    protected Reachability reach(final PeerIdentity peer)
    {
        return new Reachability(null == obstacle, null == obstacle ? "by carrier" : obstacle);
    }

    @Override
    protected RegionMemory allocateMemory(
        final int id, final MemoryKind kind, final int device, final long length, final Access access)
    {
        events.add("allocated " + (0 == id ? "nameless" : RegionDescriptor.name(RegionDescriptor.REGION, id)));
        return new PlainMemory(new BufferMemory(length), events);
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
        events.add("allocated " + RegionDescriptor.name(RegionDescriptor.SIGNALS, id));
        return new PlainMemory(new BufferMemory(length), events);
    }

    @Override
    protected AbstractWorker newWorker(final int index)
    {
        return new PlainWorker(this, index, events);
    }

    @Override
    protected void endInbound()
    {
        events.add("ended inbound operations");
    }

    @Override
    protected void release()
    {
        events.add("released transport");
    }
}
