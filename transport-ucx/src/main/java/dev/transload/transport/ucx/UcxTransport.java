/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Access;
import dev.transload.spi.Capabilities;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Reachability;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.ControlAgent;
import dev.transload.transport.base.ControlHooks;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.LocalSignals;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionTable;
import dev.transload.transport.base.RequestArguments;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The local resources of one rank. */
final class UcxTransport implements Transport, ControlHooks
{
    private final TransportConfig config;
    private final UcxOptions options;
    private final UcxResources resources;
    private final Capabilities capabilities;
    private final ControlAgent agent;
    private final RegionTable regions = new RegionTable();
    private final Map<Long, PeerDomain> domains = new ConcurrentHashMap<>();
    private final Map<Integer, UcxWorker> workers = new ConcurrentHashMap<>();
    private final AtomicInteger nextChannelId = new AtomicInteger(1);
    private boolean open = true;

    private UcxTransport(final TransportConfig config, final UcxOptions options, final UcxResources resources)
    {
        this.config = config;
        this.options = options;
        this.resources = resources;
        this.capabilities = UcxCapabilities.of(resources.context(), options, resources.addsByCpu());
        this.agent = new ControlAgent(config, resources.identity(), resources.messages(), this,
            AgentIdle.of(options.idle(), options.maxParkNs()));
        resources.messages().listener(
            (peer, how, status) -> agent.reportFailed(peer.transportId(), how, status, null));
        agent.start();
    }

    static UcxTransport open(final TransportConfig config, final UcxOptions options, final UcxStack stack)
    {
        return new UcxTransport(config, options, UcxResources.open(config, options, stack));
    }

    @Override
    public Capabilities capabilities()
    {
        return capabilities;
    }

    @Override
    public ByteBuffer peerInfo()
    {
        return identity().withoutContact().encode();
    }

    @Override
    public Reachability canReach(final int peer, final ByteBuffer peerInfo)
    {
        final PeerIdentity other =
            PeerIdentity.decode(UcxOptions.TRANSPORT, "peerInfo", peerInfo.duplicate());
        if (peer != other.rank())
        {
            throw new IllegalArgumentException("peer=" + peer + ": peerInfo is that of rank " + other.rank());
        }

        final String obstacle = obstacle(other);
        return null != obstacle ? new Reachability(false, obstacle) : new Reachability(true,
            identity().isSame(other) ? "own memory" : context().selection().describe());
    }

    @Override
    public synchronized MemoryRegion allocate(
        final MemoryKind kind, final int device, final long length, final Access access)
    {
        checkOpen();
        RequestArguments.checkAllocation(capabilities, kind, device, length);
        return add(kind, device, access, length, allocate(kind, length, access));
    }

    @Override
    public synchronized MemoryRegion register(
        final MemoryKind kind, final int device, final long address, final long length, final Access access)
    {
        checkOpen();
        RequestArguments.checkRegistration(capabilities, kind, device, address, length);
        return add(kind, device, access, length, context().register(address, length, DeviceKinds.type(kind)));
    }

    @Override
    public synchronized SignalRegion allocateSignals(final int count, final int writers)
    {
        checkOpen();
        RequestArguments.checkSignals(capabilities, count, writers);
        final UcxMemory memory = context().allocate((long)count * RegionDescriptor.SIGNAL_STRIDE, Access.REMOTE);
        final RegionDescriptor descriptor =
            descriptor(RegionDescriptor.SIGNALS, regions.nextId(), count, writers, memory);
        return regions.add(descriptor.id(),
            new LocalSignals(regions, count, new SignalMemory(memory), descriptor.encode()));
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

        final UcxWorker worker = new UcxWorker(this, index);
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
        workers.values().forEach(UcxWorker::shut);
        workers.clear();
        if (agent.isOwnThread())
        {
            // An error handler: what is given back is still driven by its caller, once it returns.
            final Thread closer = new Thread(this::giveBack, "transload-ucx-" + config.rank() + "-close");
            closer.setDaemon(true);
            closer.start();
        }
        else
        {
            giveBack();
        }
    }

    @Override
    public boolean isOpen(final int worker)
    {
        return workers.containsKey(worker);
    }

    /** Peers are told which worker of UCX their operations go to. */
    @Override
    public void prepare(
        final PeerIdentity peer, final int worker, final int service, final Consumer<ByteBuffer> ready)
    {
        ready.accept(target().address());
    }

    @Override
    public int pollInbound()
    {
        return target().progressForIdleCallers();
    }

    /** It may go on writing for a while, by operations that we carry out: not into memory that is others' by then. */
    @Override
    public void onPeerFailed(final PeerIdentity peer)
    {
        if (context().selection().hasNetwork())
        {
            context().retired().keepFromNowOn();
        }
    }

    /** As a crash would, for tests. */
    void halt()
    {
        agent.halt();
    }

    PeerIdentity identity()
    {
        return resources.identity();
    }

    UcxOptions options()
    {
        return options;
    }

    UcxContext context()
    {
        return resources.context();
    }

    TargetWorker target()
    {
        return resources.target();
    }

    EndpointFactory endpoints()
    {
        return resources.endpoints();
    }

    ControlAgent agent()
    {
        return agent;
    }

    RegionTable regions()
    {
        return regions;
    }

    boolean addsByCpu()
    {
        return resources.addsByCpu();
    }

    int nextChannelId()
    {
        return nextChannelId.getAndIncrement();
    }

    PeerDomain domain(final PeerIdentity peer)
    {
        return domains.computeIfAbsent(peer.transportId(), (id) -> new PeerDomain(this, peer));
    }

    /** A clause that says why a peer cannot be reached, or null. */
    String obstacle(final PeerIdentity peer)
    {
        return context().selection().hasNetwork() || identity().process().sharesHostWith(peer.process()) ? null :
            "it is on another host, and " + context().selection().describe() + " stay within this one: name one " +
            "for the network in transload.ucx.tls";
    }

    void forget(final UcxWorker worker)
    {
        workers.remove(worker.index(), worker);
    }

    private UcxMemory allocate(final MemoryKind kind, final long length, final Access access)
    {
        return kind.isHost() ? context().allocate(length, access) :
            new ZeroFill(context(), endpoints(), identity(), target()).allocate(length, DeviceKinds.type(kind));
    }

    private void giveBack()
    {
        agent.close();
        resources.target().close();
        context().retired().free();
        regions.closeAll();
        context().close();
    }

    private LocalRegion add(
        final MemoryKind kind, final int device, final Access access, final long length, final UcxMemory memory)
    {
        if (Access.LOCAL == access)
        {
            return regions.add(0, new LocalRegion(regions, kind, device, access, length, memory, null));
        }

        final RegionDescriptor descriptor = descriptor(RegionDescriptor.REGION, regions.nextId(), length, 0, memory);
        return regions.add(descriptor.id(),
            new LocalRegion(regions, kind, device, access, length, memory, descriptor.encode()));
    }

    private RegionDescriptor descriptor(
        final int kind, final int id, final long length, final int writers, final UcxMemory memory)
    {
        return new RegionDescriptor(kind, id, length, writers, identity().withoutContact(),
            memory.key(context().setup()).encode());
    }

    private void checkOpen()
    {
        if (!open)
        {
            throw new IllegalStateException("the transport of rank " + config.rank() + " is closed");
        }
    }
}
