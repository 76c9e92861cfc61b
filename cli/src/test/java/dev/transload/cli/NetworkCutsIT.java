/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Thorough;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ranks with a network of their own each, which is cut while they make calls. The ranks that can decide go on and check
 * each row; each other one ends with an error.
 */
@Timeout(300)
@Thorough("network namespaces; GroupAgreementTest cuts links of ranks in one JVM")
class NetworkCutsIT
{
    private static final int RANKS = 5;
    private static final int STEPS_BETWEEN = 20;
    private static final String TCP = "tcp,self";

    @TempDir
    private Path folder;

    /** What is cut; the ranks that must go on, and those that must not. */
    private enum Cut
    {
        /** The first member of the rendezvous from all others. */
        FIRST_ALONE(List.of(0), List.of(1, 2, 3, 4)),
        /** Another rank from all others. */
        ONE_ALONE(List.of(3), List.of(0, 1, 2, 4)),
        /** Two ranks that hear each other only. */
        TWO_APART(List.of(1, 4), List.of(0, 2, 3));

        private final List<Integer> few;
        private final List<Integer> most;

        Cut(final List<Integer> few, final List<Integer> most)
        {
            this.few = few;
            this.most = most;
        }
    }

    @ParameterizedTest
    @EnumSource(Cut.class)
    void shouldGoOnInTheLargerPartOverUdp(final Cut cut) throws Exception
    {
        goOn(cut, Map.of("TRANSLOAD_AERON_DATA_PATH", "messages"));
    }

    @ParameterizedTest
    @EnumSource(Cut.class)
    void shouldGoOnInTheLargerPartOverUcxTcp(final Cut cut) throws Exception
    {
        UcxHost.require();
        goOn(cut, UcxHost.both(TCP));
    }

    /** Nothing of one rank reaches another any more: whichever of the two is left out, all others go on. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldLeaveOutOneEndOfALinkThatIsCutOneWay(final boolean isUdp) throws Exception
    {
        if (!isUdp)
        {
            UcxHost.require();
        }

        final Map<String, String> variables =
            isUdp ? Map.of("TRANSLOAD_AERON_DATA_PATH", "messages") : UcxHost.both(TCP);
        try (RankNetworks networks = RankNetworks.create(RANKS); SurvivingWorld world = new SurvivingWorld(folder))
        {
            start(world, networks, variables);
            world.awaitSteps(List.of(0, 1, 2, 3, 4), STEPS_BETWEEN);
            // Of one node, so that rows go this way.
            networks.cut(1, 2);
            final int lost = world.awaitLossOfOne(List.of(0, 3, 4), 1, 2);
            final List<Integer> left = IntStream.range(0, RANKS).filter((rank) -> rank != lost).boxed().toList();
            world.awaitLosses(left, Set.of(lost));
            world.awaitSteps(left, STEPS_BETWEEN);
            world.awaitEvicted(lost);
            world.end(left, 1, 1);
        }
    }

    private void goOn(final Cut cut, final Map<String, String> variables) throws Exception
    {
        try (RankNetworks networks = RankNetworks.create(RANKS); SurvivingWorld world = new SurvivingWorld(folder))
        {
            start(world, networks, variables);
            world.awaitSteps(List.of(0, 1, 2, 3, 4), STEPS_BETWEEN);
            for (final int few : cut.few)
            {
                for (final int other : cut.most)
                {
                    networks.cut(few, other);
                    networks.cut(other, few);
                }
            }

            world.awaitLosses(cut.most, new TreeSet<>(cut.few));
            world.awaitSteps(cut.most, STEPS_BETWEEN);
            for (final int few : cut.few)
            {
                assertEquals(SurvivingRank.FAILED, world.exitCode(few), world.said(few));
                assertTrue(world.said(few).contains("found no majority"), world.said(few));
            }

            world.end(cut.most, 1, cut.few.size());
        }
    }

    private static void start(
        final SurvivingWorld world, final RankNetworks networks, final Map<String, String> variables) throws Exception
    {
        for (int rank = 0; rank < RANKS; rank++)
        {
            final Map<String, String> place = new HashMap<>(variables);
            place.putAll(networks.place(rank));
            place.putAll(Map.of("TRANSLOAD_TIMEOUTS_LIVENESS", "3s", "TRANSLOAD_WORLD_SIZE", String.valueOf(RANKS),
                "TRANSLOAD_RANKS_PER_NODE", "3,2"));
            world.start(networks.on(rank), place);
        }
    }
}
