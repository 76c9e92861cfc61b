/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import dev.transload.tck.stepping.SteppingFabric;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/**
 * Drawn worlds that lose ranks at drawn moments, one or two at once and several times, on the transport that delays and
 * reorders: all ranks that are left are told the same, and an engine without the lost ones agrees with the reference.
 */
class SurvivorsPropertyTest
{
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final long LOSSES = 0x10556E5L;
    /** Worlds wait most of the time. */
    private static final int AT_ONCE = 8;

    @Test
    void shouldAgreeWithTheReferenceAfterLosses()
    {
        Seeds.runAll((Seeds.COUNT + 5) / 6, AT_ONCE, SurvivorsPropertyTest::run);
    }

    static void run(final long seed)
    {
        final Scenario scenario = DrawnLosses.scenario(seed);
        try (LosingWorld world = new LosingWorld(scenario))
        {
            world.run();
        }
        catch (final RuntimeException | Error ex)
        {
            throw new AssertionError(scenario.toString(), ex);
        }
    }

    /** Processes, of which some end; engines over their transports follow one another. */
    private static final class LosingWorld implements AutoCloseable
    {
        private final Scenario scenario;
        private final Random random;
        private final DrawnLosses losses;
        private final SteppingFabric fabric;
        private final List<InMemoryRendezvous> rendezvous;
        private final List<TransportContext> contexts;
        private final Deque<SteppingWorld> worlds = new ArrayDeque<>();
        private final ExecutorService executor;
        /** Processes that have ended; those that the others agreed on are absent in the scenario. */
        private final Set<Integer> ended = new TreeSet<>();

        private LosingWorld(final Scenario scenario)
        {
            this.scenario = scenario;
            this.random = new Random(new SplittableRandom(scenario.seed ^ LOSSES).nextLong());
            this.losses = new DrawnLosses(random);
            this.fabric =
                new SteppingFabric(scenario.scheduleSeed, scenario.ranks(), SteppingWorld.options(scenario));
            this.rendezvous = InMemoryRendezvous.world(scenario.ranks());
            final TransportRegistry registry = TransportRegistry.of(List.of(
                fabric.provider(), scenario.isStaged ? SteppingWorld.staging(fabric) : fabric.provider("wire")));
            this.contexts = rendezvous.stream().map((own) -> TransportContext.open(own, registry)).toList();
            this.executor = Executors.newFixedThreadPool(scenario.ranks());
        }

        private void run()
        {
            for (int loss = 1 + random.nextInt(3); loss > 0 && scenario.world().present().size() > 1; loss--)
            {
                final SteppingWorld world = open();
                if (random.nextBoolean())
                {
                    world.runAndVerifyAll();
                }

                exclude(lose(world, losses.victims(scenario.world().present())));
                while (!scenario.absent.containsAll(ended))
                {
                    exclude(loseWhileOpening());
                }
            }

            open().runAndVerifyRepeated();
        }

        private SteppingWorld open()
        {
            worlds.push(new SteppingWorld(scenario, fabric, contexts));
            return worlds.peek();
        }

        private void exclude(final Set<Integer> lost)
        {
            final Set<Integer> absent = new TreeSet<>(scenario.absent);
            absent.addAll(lost);
            scenario.absent = absent;
        }

        private List<Integer> left()
        {
            return scenario.world().present().stream().filter((rank) -> !ended.contains(rank)).toList();
        }

        /** Ranks end during a call. Gives the lost ranks, as all others are told. */
        private Set<Integer> lose(final SteppingWorld world, final List<Integer> victims)
        {
            final Map<Integer, Completion<?>> calls = call(world);
            for (final int victim : victims)
            {
                losses.goOn(world, calls, ended, BOUND);
                world.deaf.add(victim);
                if (random.nextBoolean())
                {
                    fabric.kill(victim);
                }

                ended.add(victim);
                rendezvous.get(victim).lose("its process was killed");
            }

            final Map<Integer, Set<Integer>> told = new TreeMap<>();
            for (final int rank : left())
            {
                final Completion<?> first = calls.get(rank);
                world.await("told", first::isDone, BOUND);
                told.put(rank, told(world, rank, first));
            }

            final Set<Integer> lost = same(told, victims);
            if (random.nextBoolean())
            {
                left().forEach((rank) -> world.engines.get(rank).close());
            }

            return lost;
        }

        /** A call on each rank. */
        private Map<Integer, Completion<?>> call(final SteppingWorld world)
        {
            final int what = random.nextInt(3);
            final List<DispatchResult> results = 0 == what ? null : world.dispatch(null);
            final Map<Integer, Completion<?>> calls = new TreeMap<>();
            for (final int rank : scenario.world().present())
            {
                final Engine engine = world.engines.get(rank);
                calls.put(rank, switch (what)
                {
                    case 0 -> engine.dispatch(world.dispatchRequest(rank, null));
                    case 1 -> engine.dispatch(world.dispatchRequest(rank, results.get(rank).handle()));
                    default -> engine.combine(world.combineRequest(rank, results.get(rank)));
                });
            }

            return calls;
        }

        /** Who a rank is told that is lost, by its call or by the next: another rank may have needed it no more. */
        private Set<Integer> told(final SteppingWorld world, final int rank, final Completion<?> first)
        {
            try
            {
                first.await();
                final Completion<DispatchResult> next =
                    world.engines.get(rank).dispatch(world.dispatchRequest(rank, null));
                world.await("told by the next call", next::isDone, BOUND);
                next.await();
                throw new AssertionError("rank " + rank + " has made two calls without those that ended");
            }
            catch (final GroupChangedException ex)
            {
                return new TreeSet<>(ex.dead());
            }
        }

        /** Ranks that have ended and that nobody was told of: engines that should open with them do not. */
        private Set<Integer> loseWhileOpening()
        {
            final RowKernelsProvider provider = MemoryKind.HOST.equals(scenario.kind) ?
                new HostRowKernelsProvider() : fabric.kernelsProvider(scenario.kind);
            final KernelRegistry kernels = KernelRegistry.of(List.of(provider));
            final String up = fabric.provider().name();
            final String out = scenario.isStaged || scenario.isApart ? fabric.provider("wire").name() : up;
            final Map<Integer, CompletableFuture<Engine>> opening = new TreeMap<>();
            for (final int rank : left())
            {
                opening.put(rank, CompletableFuture.supplyAsync(() -> Engine.open(
                    scenario.config(out, up, rank), contexts.get(rank), kernels), executor));
            }

            final Map<Integer, Set<Integer>> told = new TreeMap<>();
            opening.forEach((rank, engine) ->
            {
                final Throwable cause = assertThrows(CompletionException.class, engine::join).getCause();
                told.put(rank, new TreeSet<>(assertInstanceOf(GroupChangedException.class, cause).dead()));
            });
            return same(told, ended);
        }

        /** All ranks are told the same: some of those that ended, and no others. */
        private static Set<Integer> same(final Map<Integer, Set<Integer>> told, final Collection<Integer> gone)
        {
            final Set<Integer> lost = told.values().iterator().next();
            told.forEach((rank, dead) -> assertEquals(lost, dead, () -> "told to rank " + rank + ": " + told));
            assertTrue(!lost.isEmpty() && gone.containsAll(lost), () -> gone + " ended, told: " + told);
            return lost;
        }

        @Override
        public void close()
        {
            worlds.forEach(SteppingWorld::close);
            executor.shutdown();
            contexts.forEach(TransportContext::close);
            rendezvous.forEach(InMemoryRendezvous::close);
        }
    }
}
