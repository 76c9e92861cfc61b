/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import dev.transload.engine.OnPeerFailure;
import dev.transload.gate.Thorough;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drawn faults in worlds of real processes: transport, kind of fault, ranks that it hits, one or two at once, and the
 * moment. Draws 0 to 65 have each case once, as have the 66 draws behind them, in another order and at other moments.
 * Every other draw masks lost ranks, where the program opens no other engine; those of the next 66 the other way round.
 * There, processes that ended are started again, and come back to full strength.
 * {@code -Dtest.draws=N} makes more, {@code -Dtest.first-draw=D} begins at another one; with more than about 100,
 * {@code -Dtest.timeout-seconds} must be raised. The ranks that can decide go on and check each row, each selection and
 * each sum, and, with outputs of their own, that nothing is written behind the rows; each other one ends.
 */
@Thorough("dozens of worlds of processes; SurvivorsIT has one in the gate")
class FaultDrawsIT
{
    private static final int RANKS = 5;
    private static final List<List<Integer>> NODES = List.of(List.of(0, 1, 2), List.of(3, 4));
    private static final List<Integer> ALL = IntStream.range(0, RANKS).boxed().toList();
    private static final int DRAWS = 60;
    private static final int STEPS_BETWEEN = 10;
    private static final long LONGEST_NS = 200_000_000;
    /** Between two faults at once, so that the second comes while the others notice, agree, or open engines again. */
    private static final long LONGEST_BETWEEN_NS = 500_000_000;
    /** The same if silence is the fault, which is noticed late. */
    private static final long LONGEST_BETWEEN_SILENT_NS = 5_000_000_000L;
    /** Of silent ranks. */
    private static final String LIVENESS = "3s";

    @TempDir
    private Path folder;

    private final List<Integer> recoveries = new ArrayList<>();

    private enum Network
    {
        MAPPED,
        UDP,
        POSIX,
        TCP;

        private Map<String, String> variables()
        {
            return switch (this)
            {
                case MAPPED -> Map.of();
                case UDP -> Map.of("TRANSLOAD_AERON_DATA_PATH", "messages");
                case POSIX -> UcxHost.both("posix,self");
                case TCP -> UcxHost.both("tcp,self");
            };
        }
    }

    private enum Fault
    {
        /** The process ends. */
        KILL,
        /** The process is stopped, and resumed after the others have recovered. */
        STOP,
        /** Nothing passes between the rank and any other. */
        CUT,
        /** Nothing of the rank reaches another one of its node. */
        CUT_ONE_WAY;

        private boolean isCut()
        {
            return this == CUT || this == CUT_ONE_WAY;
        }
    }

    private enum Whom
    {
        /** The first member of the rendezvous. */
        FIRST(List.of(0)),
        SAME_NODE(List.of(1, 2)),
        OTHER_NODE(List.of(3, 4));

        private final List<Integer> ranks;

        Whom(final List<Integer> ranks)
        {
            this.ranks = ranks;
        }
    }

    private record Case(Network network, Fault fault, Whom whom, int count)
    {
        /** Files are not cut, and of two links that are cut one way either end may go. */
        private boolean isPossible()
        {
            return (!fault.isCut() || network == Network.UDP || network == Network.TCP) &&
                (fault != Fault.CUT_ONE_WAY || 1 == count);
        }
    }

    private static List<Case> cases()
    {
        final List<Case> cases = new ArrayList<>();
        for (final Network network : Network.values())
        {
            for (final Fault fault : Fault.values())
            {
                for (final Whom whom : Whom.values())
                {
                    cases.add(new Case(network, fault, whom, 1));
                    cases.add(new Case(network, fault, whom, 2));
                }
            }
        }

        cases.removeIf((one) -> !one.isPossible());
        return cases;
    }

    @Test
    void shouldGoOnAfterEachFault() throws Exception
    {
        UcxHost.require();
        // Before the first draw, where this test is left out if they cannot be made.
        RankNetworks.create(RANKS).close();
        final List<Case> cases = cases();
        final int first = Integer.getInteger("test.first-draw", 0);
        final int end = first + Integer.getInteger("test.draws", DRAWS);
        List<Case> drawn = List.of();
        for (int draw = first; draw < end; draw++)
        {
            if (draw == first || 0 == draw % cases.size())
            {
                drawn = new ArrayList<>(cases);
                Collections.shuffle(drawn, new Random(draw / cases.size()));
            }

            final Case one = drawn.get(draw % cases.size());
            final boolean isMasked = 1 == (draw + draw / cases.size()) % 2;
            final OnPeerFailure policy = isMasked ? OnPeerFailure.MASK : OnPeerFailure.FAIL;
            System.out.println("draw " + draw + ": " + one + ", " + policy);
            try
            {
                run(one, policy, new Random(new SplittableRandom(draw).nextLong()), Files.createDirectory(
                    folder.resolve("draw-" + draw)));
            }
            catch (final Exception | Error ex)
            {
                throw new AssertionError("draw " + draw + ": " + one + ", " + policy, ex);
            }
        }

        Collections.sort(recoveries);
        System.out.println((end - first) + " draws; from the exception to the end of the next step, in " +
            recoveries.size() + " recoveries: " + recoveries.get(0) + " to " + recoveries.get(recoveries.size() - 1) +
            " ms, median " + recoveries.get(recoveries.size() / 2) + " ms");
    }

    private void run(final Case one, final OnPeerFailure policy, final Random random, final Path files)
        throws Exception
    {
        final List<Integer> victims = victims(one, random);
        try (RankNetworks networks = one.fault.isCut() ? RankNetworks.create(RANKS) : null;
            SurvivingWorld world = new SurvivingWorld(files))
        {
            start(world, networks, one, policy);
            world.awaitSteps(ALL, STEPS_BETWEEN);
            // Anywhere in a step.
            LockSupport.parkNanos(random.nextLong(LONGEST_NS));
            if (Fault.CUT_ONE_WAY == one.fault)
            {
                cutOneWay(world, networks, victims.get(0), neighbour(victims.get(0), random));
                return;
            }

            for (final int victim : victims)
            {
                hit(one.fault, world, networks, victim);
                LockSupport.parkNanos(victims.size() < 2 ? 1 : random.nextLong(
                    Fault.KILL == one.fault ? LONGEST_BETWEEN_NS : LONGEST_BETWEEN_SILENT_NS));
            }

            final List<Integer> left = without(victims);
            world.awaitLosses(left, new TreeSet<>(victims));
            world.awaitSteps(left, STEPS_BETWEEN);
            for (final int victim : victims)
            {
                if (Fault.STOP == one.fault)
                {
                    world.signal(victim, "CONT");
                }

                if (Fault.KILL != one.fault)
                {
                    world.awaitEvicted(victim);
                }
            }

            final boolean areBack = OnPeerFailure.MASK == policy && !one.fault.isCut();
            for (final int victim : areBack ? new TreeSet<>(victims) : Set.<Integer>of())
            {
                world.restart(victim);
            }

            world.awaitSteps(areBack ? ALL : left, STEPS_BETWEEN);
            // Two losses at once may be one, or be agreed on one by one.
            recoveries.addAll(world.end(areBack ? ALL : left, 1, victims.size()));
        }
    }

    private static List<Integer> victims(final Case one, final Random random)
    {
        final List<Integer> victims = new ArrayList<>();
        victims.add(one.whom.ranks.get(random.nextInt(one.whom.ranks.size())));
        if (2 == one.count)
        {
            victims.add(other(victims.get(0), random));
            Collections.shuffle(victims, random);
        }

        return victims;
    }

    private static int other(final int rank, final Random random)
    {
        return (rank + 1 + random.nextInt(RANKS - 1)) % RANKS;
    }

    /** Another rank of the node: ranks of different nodes need not send each other anything. */
    private static int neighbour(final int rank, final Random random)
    {
        final List<Integer> others =
            NODES.stream().filter((node) -> node.contains(rank)).findFirst().orElseThrow().stream()
            .filter((other) -> other != rank).toList();
        return others.get(random.nextInt(others.size()));
    }

    private static List<Integer> without(final List<Integer> ranks)
    {
        return ALL.stream().filter((rank) -> !ranks.contains(rank)).toList();
    }

    private static void start(
        final SurvivingWorld world, final RankNetworks networks, final Case one, final OnPeerFailure policy)
        throws IOException
    {
        final String address = LocalPort.freeAddress();
        for (final int rank : ALL)
        {
            final Map<String, String> place = new HashMap<>(one.network.variables());
            place.putAll(Map.of("TRANSLOAD_WORLD_SIZE", String.valueOf(RANKS), "TRANSLOAD_RANKS_PER_NODE", "3,2"));
            place.putAll(null == networks ? Map.of("TRANSLOAD_RENDEZVOUS", address) : networks.place(rank));
            place.put("TRANSLOAD_ON_PEER_FAILURE", policy.name().toLowerCase(Locale.ROOT));
            if (Fault.KILL != one.fault)
            {
                place.put("TRANSLOAD_TIMEOUTS_LIVENESS", LIVENESS);
            }

            world.start(null == networks ? List.of() : networks.on(rank), place);
        }
    }

    private static void hit(
        final Fault fault, final SurvivingWorld world, final RankNetworks networks, final int victim) throws Exception
    {
        switch (fault)
        {
            case KILL -> world.signal(victim, "KILL");
            case STOP -> world.signal(victim, "STOP");
            default ->
            {
                for (final int other : without(List.of(victim)))
                {
                    networks.cut(victim, other);
                    networks.cut(other, victim);
                }
            }
        }
    }

    /** One of the two ranks is left out, whichever; all others go on. */
    private void cutOneWay(
        final SurvivingWorld world, final RankNetworks networks, final int from, final int to) throws Exception
    {
        networks.cut(from, to);
        final int lost = world.awaitLossOfOne(without(List.of(from, to)), from, to);
        final List<Integer> left = without(List.of(lost));
        world.awaitLosses(left, Set.of(lost));
        world.awaitSteps(left, STEPS_BETWEEN);
        world.awaitEvicted(lost);
        recoveries.addAll(world.end(left, 1, 1));
    }
}
