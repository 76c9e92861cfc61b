/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.KernelRegistry;
import dev.transload.engine.TransportContext;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingFabric;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Low-latency engines of all ranks beside other engines, for tests of other packages. */
public final class LowLatencyRanks implements AutoCloseable
{
    private static final long DEADLINE_NS = 20_000_000_000L;
    private static final long POLL_NS = 20_000;

    private final SteppingWorld world;

    /** On a stepping fabric, driven by the calling thread; host memory, all else by the seed. */
    public LowLatencyRanks(
        final long seed, final int nodes, final int ranksPerNode, final SteppingFabric fabric,
        final List<TransportContext> contexts)
    {
        world = new SteppingWorld(scenario(seed, nodes, ranksPerNode), fabric, contexts);
    }

    private static Scenario scenario(final long seed, final int nodes, final int ranksPerNode)
    {
        final Scenario scenario = Scenario.random(seed, MemoryKind.HOST);
        scenario.nodes = nodes;
        scenario.ranksPerNode = ranksPerNode;
        scenario.experts = 2 * nodes * ranksPerNode;
        scenario.topk = Math.min(scenario.topk, scenario.experts);
        scenario.calls = 2 * Shape.LANES;
        scenario.isApart = false;
        return scenario;
    }

    /** Begin some calls of all ranks, whose results are held to what must come. */
    public void begin()
    {
        world.begin();
    }

    public boolean isDone()
    {
        return world.isDone();
    }

    /** A step of whatever is under way. */
    public void step()
    {
        world.pump(1);
    }

    /** Begin some calls, and step until they have ended. */
    public void run()
    {
        world.run();
    }

    public LowLatencyEngine engine(final int rank)
    {
        return world.engines.get(rank);
    }

    /** One rank makes no more calls, the others go on. */
    public void leave(final int rank)
    {
        world.unwell(rank);
        world.leaveAlone(rank);
    }

    /** One rank closes, and all others have heard of it. */
    public void close(final int rank)
    {
        leave(rank);
        world.engines.get(rank).close();
        awaitNewsOf(rank);
    }

    /** Time passes by steps here, but not for threads of a rendezvous. */
    public void awaitNewsOf(final int rank)
    {
        final long beginNs = System.nanoTime();
        while (!world.parts.stream().allMatch((own) -> own.world().rank() == rank || own.mask().isGone(rank)))
        {
            assertTrue(System.nanoTime() - beginNs < DEADLINE_NS, "no news of rank " + rank);
            LockSupport.parkNanos(POLL_NS);
        }
    }

    @Override
    public void close()
    {
        world.close();
    }

    /** Open an engine on the calling thread, make calls that are held to what must come, and close it. */
    public static void call(
        final long seed, final int nodes, final int ranksPerNode, final String transport, final int calls,
        final TransportContext context)
    {
        final Scenario scenario = scenario(seed, nodes, ranksPerNode);
        scenario.timeoutNs = 20_000_000_000L;
        try (LowLatencyEngine engine = LowLatencyEngine.open(scenario.config(transport, transport), context,
            KernelRegistry.of(List.of(new HostRowKernelsProvider()))))
        {
            final RankTensors tensors = new RankTensors(scenario, engine, null);
            for (int call = 0; call < calls; call++)
            {
                final String where = scenario + ", rank " + engine.world().rank() + ", call " + call;
                final LowLatencyDispatchResult result =
                    engine.dispatch(tensors.dispatch(new CallData(scenario, call))).receive();
                tensors.verifyCombined(engine.combine(tensors.verifyAndAnswer(result, where)).receive(), where);
            }
        }
    }
}
