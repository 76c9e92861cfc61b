/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import dev.transload.gate.Thorough;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Worlds of real processes that lose ranks, one after the other. The others go on in their processes and check each
 * row. A seed chooses whom a fault hits and when.
 */
@Timeout(600)
class SurvivorsIT
{
    private static final int RANKS = 5;
    private static final int STEPS_BETWEEN = 10;
    private static final long LONGEST_NS = 200_000_000;

    @TempDir
    private Path folder;

    @Test
    void shouldGoOnWithoutTheFirstRankAndAnother() throws Exception
    {
        liveThroughFaults(Map.of(), new Random(1), List.of(0, 3), false);
    }

    @Test
    void shouldReadmitTheFirstRankAndAnother() throws Exception
    {
        liveThroughReturns(Map.of(), 1);
    }

    @ParameterizedTest
    @ValueSource(longs = { 2, 3, 4, 5 })
    @Thorough("one world in the gate; here other victims and moments")
    void shouldReadmitRanksOverUdp(final long seed) throws Exception
    {
        liveThroughReturns(Map.of("TRANSLOAD_AERON_DATA_PATH", "messages"), seed);
    }

    @ParameterizedTest
    @ValueSource(strings = { "posix,self", "tcp,self" })
    @Thorough("one world in the gate; here other transports")
    void shouldReadmitRanksOverUcx(final String ways) throws Exception
    {
        UcxHost.require();
        for (int seed = 6; seed < 10; seed++)
        {
            liveThroughReturns(UcxHost.both(ways), seed);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    @Thorough("one world in the gate; here victims that are killed or stopped")
    void shouldGoOnOverMappedMemory(final long seed) throws Exception
    {
        liveThroughFaults(Map.of(), seed);
    }

    @ParameterizedTest
    @ValueSource(longs = { 5, 6, 7, 8 })
    @Thorough("one world in the gate; here victims that are killed or stopped")
    void shouldGoOnOverUdp(final long seed) throws Exception
    {
        liveThroughFaults(Map.of("TRANSLOAD_AERON_DATA_PATH", "messages"), seed);
    }

    @ParameterizedTest
    @ValueSource(strings = { "posix,self", "tcp,self" })
    @Thorough("one world in the gate; here victims that are killed or stopped")
    void shouldGoOnOverUcx(final String ways) throws Exception
    {
        UcxHost.require();
        final Map<String, String> variables = UcxHost.both(ways);
        for (int seed = 0; seed < 4; seed++)
        {
            liveThroughFaults(variables, 100L * ways.length() + seed);
        }
    }

    /** The first rank is lost and another one, at once or one by one; both are started again, and one of them twice. */
    private void liveThroughReturns(final Map<String, String> variables, final long seed) throws Exception
    {
        final Random random = new Random(seed);
        final Map<String, String> place = new HashMap<>(variables);
        place.putAll(Map.of("TRANSLOAD_WORLD_SIZE", String.valueOf(RANKS), "TRANSLOAD_RANKS_PER_NODE", "3,2",
            "TRANSLOAD_RENDEZVOUS", LocalPort.freeAddress(), "TRANSLOAD_ON_PEER_FAILURE", "mask"));
        final int other = 1 + random.nextInt(RANKS - 1);
        final List<Integer> all = IntStream.range(0, RANKS).boxed().toList();
        try (SurvivingWorld world = new SurvivingWorld(Files.createTempDirectory(folder, "world")))
        {
            for (int rank = 0; rank < RANKS; rank++)
            {
                world.start(List.of(), place);
            }

            final List<Integer> left = new ArrayList<>(all);
            for (final int victim : List.of(0, other))
            {
                world.awaitSteps(left, STEPS_BETWEEN);
                LockSupport.parkNanos(random.nextLong(LONGEST_NS));
                world.signal(victim, "KILL");
                left.remove((Integer)victim);
            }

            for (final int victim : List.of(0, other))
            {
                world.restart(victim);
                left.add(victim);
                world.awaitSteps(left, STEPS_BETWEEN);
            }

            world.signal(other, "KILL");
            world.restart(other);
            world.awaitSteps(all, STEPS_BETWEEN);
            world.end(all, 2, 3);
        }
    }

    private void liveThroughFaults(final Map<String, String> variables, final long seed) throws Exception
    {
        final Random random = new Random(seed);
        final int first = random.nextInt(RANKS);
        final int second = (first + 1 + random.nextInt(RANKS - 1)) % RANKS;
        liveThroughFaults(variables, random, List.of(first, second), seed % 2 == 0);
    }

    private void liveThroughFaults(
        final Map<String, String> variables, final Random random, final List<Integer> victims,
        final boolean areStopped) throws Exception
    {
        final Map<String, String> place = new HashMap<>(variables);
        if (areStopped)
        {
            place.put("TRANSLOAD_TIMEOUTS_LIVENESS", "3s");
        }

        place.putAll(Map.of("TRANSLOAD_WORLD_SIZE", String.valueOf(RANKS), "TRANSLOAD_RANKS_PER_NODE", "3,2",
            "TRANSLOAD_RENDEZVOUS", LocalPort.freeAddress()));
        try (SurvivingWorld world = new SurvivingWorld(folder))
        {
            final List<Integer> left = new ArrayList<>();
            final Set<Integer> lost = new TreeSet<>();
            for (int rank = 0; rank < RANKS; rank++)
            {
                world.start(List.of(), place);
                left.add(rank);
            }

            for (final int victim : victims)
            {
                world.awaitSteps(left, STEPS_BETWEEN);
                // Anywhere in a step.
                LockSupport.parkNanos(random.nextLong(LONGEST_NS));
                world.signal(victim, areStopped ? "STOP" : "KILL");
                left.remove(Integer.valueOf(victim));
                lost.add(victim);
                world.awaitLosses(left, lost);
            }

            world.awaitSteps(left, STEPS_BETWEEN);
            for (final int victim : areStopped ? victims : List.<Integer>of())
            {
                world.signal(victim, "CONT");
                world.awaitEvicted(victim);
            }

            world.end(left, victims.size(), victims.size());
        }
    }
}
