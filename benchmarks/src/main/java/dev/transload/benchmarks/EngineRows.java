/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.Completion;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.RoleTime;
import dev.transload.engine.Tensor;
import dev.transload.engine.internal.plan.SendLayout;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.TransportRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the engine itself costs a row: two ranks of one node in this JVM, driven in turn by one thread, with rows of 16
 * bytes, so that next to nothing is copied. On devices the copies are not the CPU's; all else is what is measured here.
 * Arguments: tokens, iterations, and further settings as key=value.
 */
public final class EngineRows
{
    private static final int RANKS = 2;
    private static final int HIDDEN = 8;
    private static final int TOPK = 8;
    private static final int EXPERTS = 256;

    private final List<Engine> engines = new ArrayList<>();
    private final List<Tensor> rows = new ArrayList<>();
    private final List<Tensor> choices = new ArrayList<>();
    private final List<Tensor> weights = new ArrayList<>();
    private final List<Tensor> combined = new ArrayList<>();
    private final List<DispatchResult> results = new ArrayList<>();
    private final SendLayout routes;
    private final int tokens;

    private EngineRows(final int tokens, final List<Engine> engines)
    {
        this.tokens = tokens;
        this.engines.addAll(engines);
        this.routes = new SendLayout(new Geometry(engines.get(0).world(), engines.get(0).config()));
        for (final Engine engine : engines)
        {
            rows.add(new Tensor(engine.allocateHost((long)tokens * HIDDEN * 2), 0, DataType.BF16, tokens, HIDDEN));
            combined.add(new Tensor(engine.allocateHost((long)tokens * HIDDEN * 2), 0, DataType.BF16, tokens, HIDDEN));
            weights.add(new Tensor(engine.allocateHost((long)tokens * TOPK * 4), 0, DataType.F32, tokens, TOPK));
            choices.add(choose(engine));
        }
    }

    /**
     * Entry.
     *
     * @param args tokens, iterations, settings.
     */
    public static void main(final String[] args)
    {
        final int tokens = Integer.parseInt(args[0]);
        final int iterations = Integer.parseInt(args[1]);
        final List<Engine> engines = open(tokens, Arrays.asList(args).subList(2, args.length));
        final EngineRows world = new EngineRows(tokens, engines);
        world.await(world::dispatch).forEach((result) -> world.results.add((DispatchResult)result));
        world.report("layout alone", iterations, world::layout);
        world.report("dispatch", iterations, world::whole);
        world.report("cached dispatch", iterations, world::cached);
        world.report("combine", iterations, world::combine);
        engines.forEach(Engine::close);
    }

    private static List<Engine> open(final int tokens, final List<String> settings)
    {
        final EngineConfig config = EngineConfig.from(ConfigFactory.parseString(String.join("\n", settings))
            .withFallback(ConfigFactory.parseString(String.join("\n",
            "transload.nodes = 1", "transload.ranks-per-node = " + RANKS, "transload.channels = 8",
            "transload.max-hidden = " + HIDDEN, "transload.max-topk = " + TOPK, "transload.max-experts = " + EXPERTS,
            "transload.scale-out.transport = aeron", "transload.scale-up { transport = aeron, chunk = 64, ring = 256 }",
            "transload.threads.count = 0"))));
        final List<CompletableFuture<Engine>> opening = new ArrayList<>();
        InMemoryRendezvous.world(RANKS).forEach((own) -> opening.add(CompletableFuture.supplyAsync(
            () -> Engine.open(config, own, TransportRegistry.discover()))));
        return opening.stream().map(CompletableFuture::join).toList();
    }

    private Tensor choose(final Engine engine)
    {
        final Tensor idx =
            new Tensor(engine.allocateHost((long)tokens * TOPK * 8), 0, DataType.I64, tokens, TOPK);
        final Random random = new Random(engine.world().rank());
        for (int token = 0; token < tokens; token++)
        {
            final long[] chosen = random.longs(0, EXPERTS).distinct().limit(TOPK).toArray();
            idx.view().asLongBuffer().put(token * TOPK, chosen);
        }

        return idx;
    }

    private long[] time(final int iterations, final IntConsumer call)
    {
        final long[] times = new long[iterations];
        for (int i = 0; i < iterations; i++)
        {
            final long begin = System.nanoTime();
            call.accept(i);
            times[i] = System.nanoTime() - begin;
        }

        Arrays.sort(times);
        return times;
    }

    private List<Object> await(final IntFunction<Completion<?>> call)
    {
        final List<? extends Completion<?>> calls = IntStream.range(0, RANKS).mapToObj(call).toList();
        while (!calls.stream().allMatch(Completion::isDone))
        {
            // In pairs of tens, so that looking at the completions costs nothing.
            for (int cycle = 0; cycle < 20; cycle++)
            {
                engines.get(cycle % RANKS).doWork();
            }
        }

        return calls.stream().<Object>map(Completion::await).toList();
    }

    private Completion<DispatchResult> dispatch(final int rank)
    {
        return engines.get(rank).dispatch(
            DispatchRequest.of(rows.get(rank)).topk(choices.get(rank), weights.get(rank), EXPERTS));
    }

    private void layout(final int iteration)
    {
        for (int rank = 0; rank < RANKS; rank++)
        {
            routes.compute(choices.get(rank).view(), tokens, TOPK, EXPERTS);
        }
    }

    private void whole(final int iteration)
    {
        await((rank) -> engines.get(rank).dispatch(
            DispatchRequest.of(rows.get(rank)).topk(choices.get(rank), weights.get(rank), EXPERTS)
            .output(results.get(rank).output()))).forEach((result) -> ((DispatchResult)result).handle().close());
    }

    private void cached(final int iteration)
    {
        await((rank) -> engines.get(rank).dispatch(DispatchRequest.of(rows.get(rank))
            .cached(results.get(rank).handle()).output(results.get(rank).output())));
    }

    private void combine(final int iteration)
    {
        await((rank) -> engines.get(rank).combine(
            CombineRequest.of(results.get(rank).handle(), results.get(rank).output().x())
            .output(combined.get(rank), null)));
    }

    private void report(final String call, final int iterations, final IntConsumer one)
    {
        time(iterations, one);
        final Map<String, Long> before = busy();
        final long[] times = time(iterations, one);
        System.out.printf(Locale.ROOT,
            "%-16s %d tokens x %d ranks: min %.0f us, median %.0f us of one thread for both; min %.1f ns a token%n",
            call, tokens, RANKS, times[0] / 1e3, times[times.length / 2] / 1e3, (double)times[0] / tokens / RANKS);
        busy().forEach((role, ns) -> System.out.printf(Locale.ROOT, "    %-24s %6.1f ns a token%n",
            role, (double)(ns - before.get(role)) / iterations / tokens / RANKS));
    }

    /** Time that the roles of both ranks have worked, which of roles without part in a call is next to none. */
    private Map<String, Long> busy()
    {
        return engines.stream().flatMap((engine) -> engine.statistics().roles().stream())
            .filter((role) -> role.busyNs() > 0)
            .collect(Collectors.groupingBy(RoleTime::role, TreeMap::new, Collectors.summingLong(RoleTime::busyNs)));
    }
}
