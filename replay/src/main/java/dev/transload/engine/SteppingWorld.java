/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.fail;

import dev.transload.engine.internal.runtime.RoleReport;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportProvider;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The engines of a whole world on a stepping fabric, driven by one thread. */
final class SteppingWorld extends EngineWorld
{
    private static final int STEPS_A_CYCLE = 24;

    final SteppingFabric fabric;
    /** Ranks whose engines are not driven. */
    final Set<Integer> deaf = new HashSet<>();
    private final Random random;

    SteppingWorld(final Scenario scenario)
    {
        this(scenario, options(scenario));
    }

    static SteppingOptions options(final Scenario scenario)
    {
        final SteppingOptions all =
            MemoryKind.HOST.equals(scenario.kind) ? SteppingOptions.host() : SteppingOptions.opaque();
        final SteppingOptions options = scenario.hasAtomics ? all : all.withoutAtomics();
        if (scenario.hasWindows)
        {
            return options;
        }

        final Set<Capability> others = new HashSet<>(options.optional());
        others.remove(Capability.WINDOWS);
        others.remove(Capability.REGISTERED_WINDOWS);
        return options.optional(others);
    }

    SteppingWorld(final Scenario scenario, final SteppingOptions options)
    {
        this(scenario, new SteppingFabric(scenario.scheduleSeed, scenario.ranks(), options), null);
    }

    /** On a fabric that others may use too, whose networks have the kinds of memory that the scenario needs. */
    SteppingWorld(final Scenario scenario, final SteppingFabric fabric, final List<TransportContext> contexts)
    {
        super(scenario, contexts);
        this.random = new Random(scenario.scheduleSeed);
        this.fabric = fabric;
        final TransportProvider up = fabric.provider();
        final TransportProvider out = scenario.isStaged && null == contexts ? staging(fabric) :
            scenario.isStaged || scenario.isApart ? fabric.provider("wire") : up;
        final RowKernelsProvider kernels = MemoryKind.HOST.equals(scenario.kind) ?
            new HostRowKernelsProvider() : fabric.kernelsProvider(scenario.kind);
        if (null == contexts)
        {
            openInOrder(out, up, kernels);
        }
        else
        {
            open(out, up, kernels);
        }

        await("ready", () -> present().allMatch(Engine::isReady));
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            tensors.add(isAbsent(rank) ? null : new RankTensors(data, fabric, engines.get(rank), rank));
        }
    }

    /** A network that host memory alone passes, before it is used. */
    static TransportProvider staging(final SteppingFabric fabric)
    {
        return fabric.provider("wire").kinds(Set.of(MemoryKind.HOST));
    }

    @Override
    void await(final String what, final BooleanSupplier condition)
    {
        for (int cycle = 0; cycle < scenario.maxCycles; cycle++)
        {
            if (condition.getAsBoolean())
            {
                return;
            }

            pump();
        }

        fail("not " + what + " after " + scenario.maxCycles + " cycles; " + scenario + standstill());
    }

    /** For what takes its time by the clock: cycles do not count, only a bound that is far away. */
    void await(final String what, final BooleanSupplier condition, final Duration bound)
    {
        final long beginNs = System.nanoTime();
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - beginNs > bound.toNanos())
            {
                fail("not " + what + " within " + bound + "; " + scenario + standstill());
            }

            pump();
        }
    }

    void awaitFor(final Duration duration)
    {
        final long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < duration.toNanos())
        {
            pump();
        }
    }

    boolean isBeyondNotify(final int rank)
    {
        final String report = RoleReport.of(EngineInsides.threads(engines.get(rank)));
        return !report.isEmpty() && !report.contains("notifier waits for rank");
    }

    /** A rank waits only for rows or counts of its channels; what it sent itself is released. */
    boolean isWaitingForRowsOnly(final int rank)
    {
        final String report = RoleReport.of(EngineInsides.threads(engines.get(rank)));
        return report.contains(", channel ") && !report.contains("notifier waits for rank") &&
            !report.contains("channel position");
    }

    /** Go on, whatever comes of it. */
    void pump(final int cycles)
    {
        for (int cycle = 0; cycle < cycles; cycle++)
        {
            pump();
        }
    }

    String standstill()
    {
        final StringBuilder text = new StringBuilder();
        for (final Engine engine : present().toList())
        {
            text.append("\n  rank ").append(engine.world().rank())
                .append(RoleReport.of(EngineInsides.threads(engine)));
        }

        return text.toString();
    }

    private void pump()
    {
        fabric.steps(random.nextInt(STEPS_A_CYCLE));
        for (int i = 0; i < engines.size(); i++)
        {
            if (random.nextInt(3) > 0 && !deaf.contains(i) && !isAbsent(i))
            {
                engines.get(i).doWork();
            }
        }
    }

    @Override
    public void close()
    {
        present().forEach(Engine::close);
        rendezvous.forEach(InMemoryRendezvous::close);
    }
}
