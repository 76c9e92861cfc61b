/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import com.sun.management.ThreadMXBean;
import dev.transload.engine.loopback.LoopbackKernelsProvider;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The engines of a whole world on the loopback transport: on threads of their own where the scenario asks for some,
 * else driven by the waiting thread, all ranks in turn.
 */
final class LoopbackWorld extends EngineWorld
{
    private static final long DEADLINE_NS = 60_000_000_000L;
    private static final long POLL_NS = 20_000;

    /** What the duty cycles of all engines allocated, of those driven by the waiting thread. */
    long dutyCycleBytes;
    private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    /** What the engines asked of the transports until they were open. */
    long bytesOpened;

    /** Over given parts. */
    LoopbackWorld(final Scenario scenario, final LoopbackNetwork network, final RowKernelsProvider kernels)
    {
        this(scenario, network, network, kernels);
    }

    /** Over given parts, a transport for each stage. */
    LoopbackWorld(
        final Scenario scenario, final LoopbackNetwork scaleOut, final LoopbackNetwork scaleUp,
        final RowKernelsProvider kernels)
    {
        super(scenario);
        open(scaleOut, scaleUp, kernels);
        bytesOpened = scaleUp.bytesAllocated() + (scaleOut == scaleUp ? 0 : scaleOut.bytesAllocated());
        begin();
    }

    /** With host memory, beside other engines. */
    LoopbackWorld(final Scenario scenario, final LoopbackNetwork network, final List<TransportContext> contexts)
    {
        super(scenario, contexts);
        open(network, new HostRowKernelsProvider());
        begin();
    }

    LoopbackWorld(final Scenario scenario, final int refusalInterval)
    {
        super(scenario);
        if (scenario.isStaged)
        {
            open(new LoopbackNetwork("wire", Set.of(MemoryKind.HOST), refusalInterval), new LoopbackNetwork(
                LoopbackNetwork.NAME, Set.of(MemoryKind.HOST, LoopbackNetwork.DEVICE), refusalInterval),
                new LoopbackKernelsProvider());
        }
        else
        {
            open(new LoopbackNetwork(refusalInterval), new HostRowKernelsProvider());
        }

        begin();
    }

    private void begin()
    {
        await("ready", () -> engines.stream().allMatch(Engine::isReady));
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            tensors.add(new RankTensors(data, null, engines.get(rank), rank));
        }
    }

    @Override
    void await(final String what, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("not " + what + " within its deadline: " + scenario);
            }

            if (scenario.threads > 0)
            {
                LockSupport.parkNanos(POLL_NS);
            }
            else
            {
                drive();
            }
        }
    }

    private void drive()
    {
        final long before = threads.getCurrentThreadAllocatedBytes();
        for (int rank = 0; rank < engines.size(); rank++)
        {
            engines.get(rank).doWork();
        }

        dutyCycleBytes += threads.getCurrentThreadAllocatedBytes() - before;
    }

    /** Closing is collective where engines have threads: each waits for the others. */
    @Override
    public void close()
    {
        closeTogether();
    }
}
