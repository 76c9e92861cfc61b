/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/**
 * Drawn worlds that mask lost ranks lose one or two of them at drawn moments of dispatches, cached dispatches and
 * combines, on the transport that delays and reorders, and readmit new processes of these ranks. Each call completes on
 * all ranks that are left, and its results are those of a world without some of the ranks that have ended, the same
 * ones on all ranks.
 */
class MaskedRanksPropertyTest
{
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final long LOSSES = 0x3A5CED;
    private static final int MOST_CALLS = 8;
    /** Worlds wait most of the time. */
    private static final int AT_ONCE = 4;

    @Test
    void shouldCompleteCallsWithoutLostRanks()
    {
        Seeds.runAll((Seeds.COUNT + 11) / 12, AT_ONCE, MaskedRanksPropertyTest::run);
    }

    static void run(final long seed)
    {
        final Scenario scenario = DrawnLosses.scenario(seed);
        scenario.more = "transload.on-peer-failure = mask";
        try (MaskingWorld world = new MaskingWorld(scenario))
        {
            world.run();
        }
        catch (final RuntimeException | Error ex)
        {
            throw new AssertionError(scenario.toString(), ex);
        }
    }

    /** Ranks of which some end, while all of them make the same calls. */
    private static final class MaskingWorld implements AutoCloseable
    {
        private final Scenario scenario;
        private final Random random;
        private final DrawnLosses losses;
        private final SteppingWorld world;
        /** Ranks whose processes have ended, of which the results say whether the others went on without them yet. */
        private final Set<Integer> ended = new TreeSet<>();
        private Map<Integer, DispatchResult> delivered;
        /** Ranks that were absent when its metadata was delivered. */
        private Set<Integer> ordered;

        private MaskingWorld(final Scenario scenario)
        {
            this.scenario = scenario;
            this.random = new Random(new SplittableRandom(scenario.seed ^ LOSSES).nextLong());
            this.losses = new DrawnLosses(random);
            this.world = new SteppingWorld(scenario);
        }

        private void run()
        {
            for (int call = 0; call < MOST_CALLS; call++)
            {
                final int what = null == delivered ? 0 : random.nextInt(4);
                if (!ended.isEmpty() && random.nextInt(3) > 0)
                {
                    comeBack(new ArrayList<>(ended).get(random.nextInt(ended.size())));
                }

                if (0 == what || null == delivered)
                {
                    dispatch();
                }
                else if (1 == what)
                {
                    repeat();
                }
                else
                {
                    combine();
                }
            }

            // Engines that nobody drives any more would wait for each other until their opening is over.
            world.await("settled", () -> left().stream().allMatch((rank) -> world.engines.get(rank).isReady()), BOUND);
        }

        /**
         * A new process of a rank asks until the others readmit it, who may not have noticed that its predecessor
         * ended. Ranks may be lost meanwhile, the new process among them.
         */
        private void comeBack(final int rank)
        {
            world.rejoin(rank);
            final boolean isLostAgain = 0 == random.nextInt(4);
            final boolean isLostAmid = 0 == random.nextInt(4);
            final long beginNs = System.nanoTime();
            while (ended.contains(rank))
            {
                assertTrue(System.nanoTime() - beginNs < BOUND.toNanos(), "rank " + rank + " was not readmitted");
                final List<List<Integer>> readmitted = call((engine, own) -> engine.readmit(), null, () ->
                {
                    if (isLostAmid)
                    {
                        world.pump((int)Math.exp(random.nextDouble() * 7) - 1);
                        world.giveUp(rank);
                    }
                }).values().stream().distinct().toList();
                assertEquals(1, readmitted.size());
                if (isLostAmid)
                {
                    // It may have been readmitted, and left out again.
                    delivered = readmitted.get(0).isEmpty() ? delivered : null;
                    return;
                }

                if (readmitted.get(0).contains(rank))
                {
                    ended.remove(rank);
                    world.expectAgain(rank);
                    delivered = null;
                }
                else if (isLostAgain)
                {
                    world.pump(random.nextInt(200));
                    world.giveUp(rank);
                    return;
                }
            }
        }

        private void dispatch()
        {
            final Map<Integer, DispatchResult> results = call(
                (engine, rank) -> engine.dispatch(world.dispatchRequest(rank, null)), world::verifyDispatch);
            if (null != delivered && random.nextBoolean())
            {
                delivered.values().forEach((result) -> result.handle().close());
            }

            delivered = results;
            ordered = scenario.absent;
            left().forEach(world::answer);
        }

        private void repeat()
        {
            final Map<Integer, DispatchResult> before = delivered;
            final Map<Integer, DispatchResult> results = call((engine, rank) ->
                engine.dispatch(world.dispatchRequest(rank, before.get(rank).handle())),
                (rank, result) -> world.verifyRows(rank, result));
            // With the metadata of a dispatch by which these rows are not ordered, weights are not the caller's.
            final boolean isOrderKept = ordered.equals(scenario.absent);
            delivered = isOrderKept || !scenario.isWeighted || scenario.hasOwnWeights ? results(before, results) : null;
            left().forEach(world::answer);
        }

        /** Rows of the latter, with the metadata of the former. */
        private static Map<Integer, DispatchResult> results(
            final Map<Integer, DispatchResult> before, final Map<Integer, DispatchResult> after)
        {
            final Map<Integer, DispatchResult> results = new TreeMap<>();
            after.forEach((rank, result) -> results.put(rank, new DispatchResult(result.rows(),
                before.get(rank).output(), result.rowsPerExpert(), result.rankPrefixSum(), result.handle(),
                result.waitNs(), result.leftOut())));
            return results;
        }

        private void combine()
        {
            call((engine, rank) -> engine.combine(world.combineRequest(rank, delivered.get(rank))), (rank, result) ->
            {
                world.verifyCombined(rank, result);
                assertEquals(world.data.leftOut(rank), result.leftOut());
            });
        }

        /** A call on all ranks, some of which end meanwhile. */
        private <T> Map<Integer, T> call(
            final BiFunction<Engine, Integer, Completion<T>> call, final BiConsumer<Integer, T> verify)
        {
            return call(call, verify, () -> {});
        }

        private <T> Map<Integer, T> call(
            final BiFunction<Engine, Integer, Completion<T>> call, final BiConsumer<Integer, T> verify,
            final Runnable meanwhile)
        {
            final Map<Integer, Completion<T>> calls = new TreeMap<>();
            final List<Integer> members = left();
            members.forEach((rank) -> calls.put(rank, call.apply(world.engines.get(rank), rank)));
            for (final int victim : 0 == random.nextInt(3) ? losses.victims(left()) : List.<Integer>of())
            {
                losses.goOn(world, calls, ended, BOUND);
                lose(victim);
            }

            meanwhile.run();
            final Map<Integer, T> results = new TreeMap<>();
            for (final int rank : left())
            {
                world.await("ended on rank " + rank, calls.get(rank)::isDone, BOUND);
                results.put(rank, calls.get(rank).await());
            }

            if (null != verify)
            {
                verify(results, verify);
            }

            return results;
        }

        /** Fails unless the results are those of a world without some of the ended ranks. */
        private <T> void verify(final Map<Integer, T> results, final BiConsumer<Integer, T> verify)
        {
            final Set<Integer> before = scenario.absent;
            AssertionError last = null;
            for (final Set<Integer> absent : candidates(before))
            {
                try
                {
                    world.expectWithout(absent);
                    results.forEach(verify);
                    return;
                }
                catch (final AssertionError ex)
                {
                    last = ex;
                }
            }

            throw new AssertionError("results are those of no world without " + before + " or more of " + ended, last);
        }

        /** Ranks without which the call may have been made, the fewest first. */
        private List<Set<Integer>> candidates(final Set<Integer> before)
        {
            final List<Set<Integer>> candidates = new ArrayList<>(List.of(before));
            for (final int rank : ended)
            {
                for (final Set<Integer> fewer : before.contains(rank) ? List.<Set<Integer>>of() :
                    List.copyOf(candidates))
                {
                    final Set<Integer> more = new TreeSet<>(fewer);
                    more.add(rank);
                    candidates.add(more);
                }
            }

            return candidates;
        }

        private List<Integer> left()
        {
            return new ArrayList<>(
                scenario.world().present().stream().filter((rank) -> !ended.contains(rank)).toList());
        }

        private void lose(final int victim)
        {
            world.deaf.add(victim);
            if (random.nextBoolean())
            {
                world.fabric.kill(victim);
            }

            ended.add(victim);
            world.rendezvous.get(victim).lose("its process was killed");
        }

        @Override
        public void close()
        {
            world.close();
        }
    }
}
