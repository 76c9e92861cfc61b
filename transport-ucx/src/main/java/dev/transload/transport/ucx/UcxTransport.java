/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractTransport;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.ControlAgent;
import dev.transload.transport.base.ControlHooks;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.base.SharedMemory;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The local resources of one rank: memory that UCX knows, and a context of it. */
final class UcxTransport extends AbstractTransport implements ControlHooks
{
    private final UcxOptions options;
    private final UcxResources resources;
    private final boolean addsByUcx;
    private final Map<Long, PeerDomain> domains = new ConcurrentHashMap<>();

    private UcxTransport(final TransportConfig config, final UcxOptions options, final UcxResources resources)
    {
        super(config, UcxCapabilities.of(resources.context(), options), resources.identity(),
            resources.identity().withoutContact());
        this.options = options;
        this.resources = resources;
        this.addsByUcx = resources.context().addsByUcx(options);
        final ControlAgent agent =
            control(resources.messages(), this, AgentIdle.of(options.idle(), options.maxParkNs()));
        resources.messages().listener(
            (peer, how, status) -> agent.reportFailed(peer.transportId(), how, status, null));
        agent.start();
    }

    static UcxTransport open(final TransportConfig config, final UcxOptions options, final UcxStack stack)
    {
        return new UcxTransport(config, options, UcxResources.open(config, options, stack));
    }

    @Override
    protected Reachability reach(final PeerIdentity peer)
    {
        final String ways = context().selection().describe();
        if (identity().isSame(peer))
        {
            return new Reachability(true, "own memory");
        }

        final boolean isWithinReach =
            context().selection().hasNetwork() || identity().process().sharesHostWith(peer.process());
        return new Reachability(isWithinReach, isWithinReach ? ways : "it is on another host, and " + ways +
            " stay within this one: name one for the network in transload.ucx.tls");
    }

    @Override
    protected RegionMemory allocateMemory(
        final int id, final MemoryKind kind, final int device, final long length, final Access access)
    {
        return kind.isHost() ? context().allocate(length, access) : context().allocateOn(device, length);
    }

    @Override
    protected RegionMemory registerMemory(
        final int id, final MemoryKind kind, final int device, final long address, final long length,
        final Access access)
    {
        return kind.isHost() ? context().register(address, length) : context().registerOn(device, address, length);
    }

    @Override
    protected SharedMemory allocateSignalMemory(final int id, final long length)
    {
        return new SignalMemory(context().allocate(length, Access.REMOTE));
    }

    @Override
    protected AbstractWorker newWorker(final int index)
    {
        return new UcxWorker(this, index);
    }

    @Override
    protected void endInbound()
    {
        target().close();
        context().retired().free();
    }

    @Override
    protected void release()
    {
        context().close();
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

    boolean addsByUcx()
    {
        return addsByUcx;
    }

    boolean addsByCpu()
    {
        return resources.addsByCpu();
    }

    PeerDomain domain(final PeerIdentity peer)
    {
        return domains.computeIfAbsent(peer.transportId(), (id) -> new PeerDomain(this, peer));
    }
}
