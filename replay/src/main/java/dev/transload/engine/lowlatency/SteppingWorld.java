/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.KernelRegistry;
import dev.transload.engine.OrderedOpening;
import dev.transload.engine.TransportContext;
import dev.transload.engine.World;
import dev.transload.engine.recording.Fault;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.NoOpIdleStrategy;

/**
 * The low-latency engines of a whole world on a stepping fabric, driven by one thread, by a clock of its own: time
 * passes only while nothing else can happen.
 */
final class SteppingWorld implements AutoCloseable
{
    private static final int STEPS_A_CYCLE = 24;
    private static final int IDLE_CYCLES = 60;
    private static final int CLOCK_SHARE = 16;

    final SteppingFabric fabric;
    final Scenario scenario;
    final CallData[] data;
    final List<RankScript> scripts = new ArrayList<>();
    final List<LowLatencyEngine> engines = new ArrayList<>();
    final List<LowLatencyParts> parts = new ArrayList<>();
    final List<InMemoryRendezvous> rendezvous;
    private final List<TransportContext> contexts;
    /** Kernels of rank 0. */
    final RowKernelsProvider kernelsOfFirst;
    private final BitSet stopped = new BitSet();
    private final BitSet unwell = new BitSet();
    private final Random random;
    private long nowNs;
    private int idleCycles;
    private boolean isClosing;

    SteppingWorld(final Scenario scenario)
    {
        this(scenario, null, null, null);
    }

    /** On a fabric that others use too. */
    SteppingWorld(final Scenario scenario, final SteppingFabric fabric, final List<TransportContext> contexts)
    {
        this(scenario, null, fabric, contexts);
    }

    private SteppingWorld(
        final Scenario scenario, final UnaryOperator<RowKernelsProvider> changeOfFirst, final SteppingFabric shared,
        final List<TransportContext> contexts)
    {
        this.scenario = scenario;
        this.contexts = contexts;
        this.random = new Random(scenario.scheduleSeed);
        this.rendezvous = null == contexts ? InMemoryRendezvous.world(scenario.ranks()) : List.of();
        this.data = new CallData[2 * scenario.calls];
        final int different = scenario.differentCalls();
        for (int call = 0; call < data.length; call++)
        {
            data[call] = call < different ? new CallData(scenario, call) : data[call % different];
        }

        final SteppingOptions all = scenario.kind.isHost() ? SteppingOptions.host() : SteppingOptions.opaque();
        final SteppingOptions options = scenario.hasAtomics ? all : all.withoutAtomics();
        this.fabric = null != shared ? shared : new SteppingFabric(scenario.scheduleSeed, scenario.ranks(), options);
        final World world = scenario.world(0);
        final TransportProvider up = scenario.isApart ?
            fabric.provider("near", (from, to) -> world.nodeOf(from) == world.nodeOf(to)) : fabric.provider();
        final RowKernelsProvider kernels =
            scenario.kind.isHost() ? new HostRowKernelsProvider() : fabric.kernelsProvider(scenario.kind);
        kernelsOfFirst = null == changeOfFirst ? kernels : changeOfFirst.apply(kernels);
        open(scenario.isApart ? fabric.provider("wire") : up, up, kernels);
        for (final LowLatencyEngine engine : engines)
        {
            scripts.add(new RankScript(scenario, data, engine, fabric, (rank) -> !unwell.get(rank)));
        }

        await(() -> engines.stream().allMatch(LowLatencyEngine::isReady));
    }

    /** With other kernels on rank 0, made of those of the others. */
    SteppingWorld(final Scenario scenario, final UnaryOperator<RowKernelsProvider> changeOfFirst)
    {
        this(scenario, changeOfFirst, null, null);
    }

    private void open(final TransportProvider out, final TransportProvider up, final RowKernelsProvider kernels)
    {
        final TransportRegistry registry = TransportRegistry.of(out == up ? List.of(up) : List.of(out, up));
        final LowLatencyConfig config = scenario.config(out.name(), up.name());
        final KernelRegistry ofOthers = KernelRegistry.of(List.of(kernels));
        final KernelRegistry ofFirst = KernelRegistry.of(List.of(kernelsOfFirst));
        parts.addAll(null == contexts ?
            OrderedOpening.open(rendezvous, (own) -> alone(
                config, TransportContext.open(own, registry), 0 == own.rank() ? ofFirst : ofOthers)) :
            openTogether(config, ofOthers));
        parts.forEach((each) -> engines.add(new LowLatencyEngine(each, this::clock, NoOpIdleStrategy.INSTANCE)));
    }

    private List<LowLatencyParts> openTogether(final LowLatencyConfig config, final KernelRegistry kernels)
    {
        final ExecutorService executor = Executors.newFixedThreadPool(scenario.ranks());
        try
        {
            final List<CompletableFuture<LowLatencyParts>> opening = contexts.stream().map((context) ->
                CompletableFuture.supplyAsync(() -> LowLatencyParts.open(config, context, kernels), executor)).toList();
            return opening.stream().map(CompletableFuture::join).toList();
        }
        finally
        {
            executor.shutdown();
        }
    }

    private static LowLatencyParts alone(
        final LowLatencyConfig config, final TransportContext context, final KernelRegistry kernels)
    {
        try (context)
        {
            return LowLatencyParts.open(config, context, kernels);
        }
    }

    /** While engines close, each of them alone, time passes by itself. */
    private long clock()
    {
        nowNs += isClosing ? scenario.timeoutNs / IDLE_CYCLES : 0;
        return nowNs;
    }

    /** Have all ranks make all calls of the scenario. */
    void run()
    {
        begin();
        await(this::isDone);
    }

    /** The same, while ranks are killed, or stopped and later go on. */
    void run(final List<Fault> faults)
    {
        begin();
        for (final Fault fault : faults)
        {
            pump(fault);
            switch (fault.what())
            {
                case Fault.KILL -> kill(fault.rank());
                case Fault.PAUSE -> pause(fault.rank());
                default -> resume(fault.rank());
            }
        }

        await(this::isDone);
    }

    private void pump(final Fault fault)
    {
        if (null != fault.afterCycles())
        {
            pump(fault.afterCycles());
            return;
        }

        final RankScript script = scripts.get(fault.rank());
        await(() -> isDone() || stopped.get(fault.rank()) || script.ended() >= fault.afterCalls());
    }

    void begin()
    {
        scripts.forEach((script) -> script.calls(0, scenario.calls));
    }

    boolean isDone()
    {
        return scripts.stream().allMatch((script) -> script.isDone() || stopped.get(script.rank));
    }

    interface Condition
    {
        boolean holds();
    }

    void await(final Condition condition)
    {
        for (int cycle = 0; cycle < scenario.maxCycles; cycle++)
        {
            if (condition.holds())
            {
                return;
            }

            pump();
        }

        final StringBuilder text = new StringBuilder("not done after " + scenario.maxCycles + " cycles; " + scenario);
        scripts.forEach((script) -> text.append("\n  ").append(script.standing()));
        throw new AssertionError(text.toString());
    }

    void pump(final int cycles)
    {
        for (int i = 0; i < cycles && !isDone(); i++)
        {
            pump();
        }
    }

    private void pump()
    {
        final boolean isMoving = fabric.steps(random.nextInt(STEPS_A_CYCLE));
        int work = isMoving ? 1 : 0;
        for (final RankScript script : scripts)
        {
            if (!stopped.get(script.rank) && random.nextInt(3) > 0)
            {
                work += script.doWork();
            }
        }

        idleCycles = work > 0 ? 0 : idleCycles + 1;
        if (idleCycles == IDLE_CYCLES)
        {
            nowNs += scenario.timeoutNs / CLOCK_SHARE;
            idleCycles = 0;
        }
    }

    void kill(final int rank)
    {
        unwell.set(rank);
        stopped.set(rank);
        fabric.kill(rank);
    }

    void pause(final int rank)
    {
        unwell.set(rank);
        stopped.set(rank);
        fabric.pause(rank);
    }

    void resume(final int rank)
    {
        stopped.clear(rank);
        fabric.resume(rank);
    }

    /** Drives a rank no more; what is sent to it still arrives. */
    void leaveAlone(final int rank)
    {
        stopped.set(rank);
    }

    /** Drives a rank again that was left alone. */
    void driveAgain(final int rank)
    {
        stopped.clear(rank);
    }

    /** A rank goes on, but others need not keep it. */
    void unwell(final int rank)
    {
        unwell.set(rank);
    }

    long nowNs()
    {
        return nowNs;
    }

    /** From now on every rank is well again. */
    void recover()
    {
        unwell.clear();
    }

    @Override
    public void close()
    {
        isClosing = true;
        engines.forEach(LowLatencyEngine::close);
        rendezvous.forEach(InMemoryRendezvous::close);
    }
}
