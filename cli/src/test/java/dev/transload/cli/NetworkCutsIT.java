/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static dev.transload.cli.NetworkNamespaces.ip;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Thorough;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
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
    private static final String SUBNET = "10.213.8.";

    private final String prefix = "transload-" + ProcessHandle.current().pid() + "-";
    private final String hub = prefix + "hub";

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

    @AfterEach
    void deleteNamespaces() throws Exception
    {
        for (int rank = 0; rank < RANKS; rank++)
        {
            ip("netns", "delete", prefix + rank);
        }

        ip("netns", "delete", hub);
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

        try (SurvivingWorld world = start(isUdp ? Map.of("TRANSLOAD_AERON_DATA_PATH", "messages") : UcxHost.both(TCP)))
        {
            world.awaitSteps(List.of(0, 1, 2, 3, 4), STEPS_BETWEEN);
            // Of one node, so that rows go this way.
            blackhole(1, 2);
            final List<Integer> others = List.of(0, 3, 4);
            Waiting.until("the others lose a rank", () -> others.stream().allMatch((rank) ->
                world.said(rank).contains("lost [1]") || world.said(rank).contains("lost [2]")));
            final int lost = world.said(0).contains("lost [1]") ? 1 : 2;
            final List<Integer> left = IntStream.range(0, RANKS).filter((rank) -> rank != lost).boxed().toList();
            world.awaitLoss(left, List.of(lost));
            world.awaitSteps(left, STEPS_BETWEEN);
            assertTrue(world.exitCode(lost) > 0, world.said(lost));
            world.end(left, 1);
        }
    }

    private void goOn(final Cut cut, final Map<String, String> variables) throws Exception
    {
        try (SurvivingWorld world = start(variables))
        {
            world.awaitSteps(List.of(0, 1, 2, 3, 4), STEPS_BETWEEN);
            for (final int few : cut.few)
            {
                for (final int other : cut.most)
                {
                    blackhole(few, other);
                    blackhole(other, few);
                }
            }

            world.awaitLoss(cut.most, cut.few);
            world.awaitSteps(cut.most, STEPS_BETWEEN);
            for (final int few : cut.few)
            {
                assertEquals(SurvivingRank.FAILED, world.exitCode(few), world.said(few));
                assertTrue(world.said(few).contains("found no majority"), world.said(few));
            }

            world.end(cut.most, 1);
        }
    }

    private SurvivingWorld start(final Map<String, String> variables) throws Exception
    {
        createNamespaces();
        final SurvivingWorld world = new SurvivingWorld(folder);
        for (int rank = 0; rank < RANKS; rank++)
        {
            final Map<String, String> place = new HashMap<>(variables);
            place.putAll(Map.of("TRANSLOAD_TIMEOUTS_LIVENESS", "3s", "TRANSLOAD_WORLD_SIZE", String.valueOf(RANKS),
                "TRANSLOAD_RANKS_PER_NODE", "3,2",
                "TRANSLOAD_RENDEZVOUS", address(0) + ":21701", "TRANSLOAD_AERON_HOST", address(rank)));
            world.start(List.of("ip", "netns", "exec", prefix + rank), place);
        }

        return world;
    }

    /** What a rank sends to another gets lost on its way. */
    private void blackhole(final int from, final int to) throws Exception
    {
        assertTrue(ip("-n", hub, "rule", "add", "from", address(from), "to", address(to), "blackhole"));
    }

    private static String address(final int rank)
    {
        return SUBNET + (4 * rank + 2);
    }

    /** A network for each rank, and a router between them. */
    private void createNamespaces() throws Exception
    {
        boolean isDone = ip("netns", "add", hub) &&
            ip("netns", "exec", hub, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
        for (int rank = 0; isDone && rank < RANKS; rank++)
        {
            final String namespace = prefix + rank;
            final String router = SUBNET + (4 * rank + 1);
            isDone = ip("netns", "add", namespace) &&
                ip("-n", namespace, "link", "add", "own", "type", "veth",
                    "peer", "name", "port" + rank, "netns", hub) &&
                ip("-n", hub, "address", "add", router + "/30", "dev", "port" + rank) &&
                ip("-n", hub, "link", "set", "port" + rank, "up") &&
                ip("-n", namespace, "address", "add", address(rank) + "/30", "dev", "own") &&
                ip("-n", namespace, "link", "set", "own", "up") && ip("-n", namespace, "link", "set", "lo", "up") &&
                ip("-n", namespace, "route", "add", "default", "via", router);
        }

        if (!isDone)
        {
            NetworkNamespaces.skip();
        }
    }
}
