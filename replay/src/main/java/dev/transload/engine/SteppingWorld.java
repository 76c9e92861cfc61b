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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** The engines of a whole world on a stepping fabric, driven by one thread. */
final class SteppingWorld extends EngineWorld
{
    private static final int STEPS_A_CYCLE = 24;

    final SteppingFabric fabric;
    /** Ranks whose engines are not driven. */
    final Set<Integer> deaf = new HashSet<>();
    private final Random random;
    private final TransportProvider out;
    private final TransportProvider up;
    private final RowKernelsProvider kernels;
    /** Of processes that ended, whose places others have taken. */
    private final List<Engine> earlier = new ArrayList<>();
    /** By rank, engines of new processes that the others have not readmitted yet. */
    private final Map<Integer, CompletableFuture<Engine>> opening = new TreeMap<>();
    /** Of such processes that have ended. */
    private final List<CompletableFuture<Engine>> abandoned = new ArrayList<>();

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
        this.up = fabric.provider();
        this.out = scenario.isStaged && null == contexts ? staging(fabric) :
            scenario.isStaged || scenario.isApart ? fabric.provider("wire") : up;
        this.kernels = MemoryKind.HOST.equals(scenario.kind) ?
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

    /** A new process takes the place of a rank that was lost; it opens its engine when the others readmit it. */
    void rejoin(final int rank)
    {
        fabric.kill(rank);
        rendezvous.set(rank, rendezvous.get(rank).rejoin());
        final EngineConfig config = scenario.config(out.name(), up.name(), rank);
        opening.put(rank, CompletableFuture.supplyAsync(() -> Engine.open(config, rendezvous.get(rank),
            registry(out, up), KernelRegistry.of(List.of(kernels))), (task) -> new Thread(task, "rejoin").start()));
    }

    /** A new process that has not been readmitted yet ends, too. */
    void giveUp(final int rank)
    {
        deaf.add(rank);
        fabric.kill(rank);
        rendezvous.get(rank).lose("its new process was killed");
        final CompletableFuture<Engine> ended = opening.remove(rank);
        if (null != ended)
        {
            abandoned.add(ended);
        }
    }

    /** Engines that have opened in the place of lost ones are driven from now on. */
    private void install()
    {
        opening.entrySet().removeIf((one) ->
        {
            if (one.getValue().isDone())
            {
                earlier.add(engines.set(one.getKey(), one.getValue().join()));
                deaf.remove(one.getKey());
            }

            return one.getValue().isDone();
        });
    }

    /** The rank takes part from now on, with tensors of its new engine. */
    void expectAgain(final int rank)
    {
        final Set<Integer> absent = new TreeSet<>(scenario.absent);
        absent.remove(rank);
        expectWithout(absent);
        tensors.set(rank, new RankTensors(data, fabric, engines.get(rank), rank));
        scenario.world().present().stream().filter((one) -> !deaf.contains(one)).forEach(this::answer);
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
        install();
        for (int i = 0; i < engines.size(); i++)
        {
            if (random.nextInt(3) > 0 && !deaf.contains(i) && null != engines.get(i))
            {
                engines.get(i).doWork();
            }
        }
    }

    @Override
    public void close()
    {
        abandoned.forEach((engine) -> engine.thenAccept(Engine::close).exceptionally((failure) -> null).join());
        earlier.forEach(Engine::close);
        present().forEach(Engine::close);
        rendezvous.forEach(InMemoryRendezvous::close);
    }
}
