/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.engine.loopback.MeteredKernels;
import dev.transload.reference.Routing;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Bytes that a call reads and writes, metadata that is put included, against the least that two stages can do with:
 * dispatch copies a row to each other node, reads it once on each node and writes it into each destination's output;
 * combine reads each destination's row, writes a partial sum for each other node and reads it there, and writes the
 * result. Within a node nobody puts metadata: it is read where the relay has it.
 */
class LeastBytesTest
{
    private static final double ALLOWED = 1.02;

    private final LoopbackNetwork network = new LoopbackNetwork(0);
    private final MeteredKernels kernels = new MeteredKernels();

    @ParameterizedTest
    @CsvSource({"2, 2, layer00", "2, 4, layer12", "4, 2, layer23", "1, 4, layer00", "3, 1, layer12"})
    void shouldMoveHardlyMoreThanTheLeast(final int nodes, final int ranksPerNode, final String trace)
    {
        final Scenario scenario = scenario(nodes, ranksPerNode, trace);
        try (LoopbackWorld world = new LoopbackWorld(scenario, network, kernels))
        {
            final long begin = moved();
            final List<DispatchResult> results = world.dispatch(null);
            final long dispatched = moved();
            world.combineAndVerify(results);
            final long combined = moved();
            requireHardlyMore("dispatch", dispatched - begin, leastOfDispatch(world, scenario));
            requireHardlyMore("combine", combined - dispatched, leastOfCombine(world, scenario));
        }
    }

    @Test
    void shouldSeeThatRingsMoveMore()
    {
        final Scenario scenario = scenario(2, 2, "layer00");
        scenario.placement = "ring";
        try (LoopbackWorld world = new LoopbackWorld(scenario, network, kernels))
        {
            final long begin = moved();
            world.dispatch(null);
            final double ratio = (moved() - begin) / (double)leastOfDispatch(world, scenario);
            assertTrue(ratio > ALLOWED, () -> "dispatch through rings moved " + ratio + " times the least");
        }
    }

    private static Scenario scenario(final int nodes, final int ranksPerNode, final String trace)
    {
        final Scenario scenario = new Scenario(1);
        scenario.nodes = nodes;
        scenario.ranksPerNode = ranksPerNode;
        RoutingTrace.set(scenario, trace);
        scenario.experts = RoutingTrace.load(trace).experts();
        scenario.topk = 4;
        scenario.hidden = 2048;
        scenario.missing = 0;
        scenario.outRing = 16;
        scenario.upRing = 16;
        scenario.tokens = new int[scenario.ranks()];
        Arrays.fill(scenario.tokens, 40);
        return scenario;
    }

    private long moved()
    {
        return 2 * network.bytesCopied() + kernels.bytes();
    }

    private static void requireHardlyMore(final String call, final long moved, final long least)
    {
        assertTrue(moved >= least && moved <= ALLOWED * least, () -> call + " moved " + moved + " bytes, " +
            moved / (double)least + " times the least of " + least);
    }

    private static long leastOfDispatch(final LoopbackWorld world, final Scenario scenario)
    {
        return (2 * arrivals(world, scenario, Places.OTHER_NODES) + arrivals(world, scenario, Places.NODES) +
            arrivals(world, scenario, Places.RANKS)) * rowBytes(scenario);
    }

    private static long leastOfCombine(final LoopbackWorld world, final Scenario scenario)
    {
        final long tokens = Arrays.stream(scenario.tokens).sum();
        return (arrivals(world, scenario, Places.RANKS) + 2 * arrivals(world, scenario, Places.OTHER_NODES) + tokens) *
            rowBytes(scenario);
    }

    private static long rowBytes(final Scenario scenario)
    {
        return (long)scenario.hidden * Short.BYTES;
    }

    private enum Places
    {
        RANKS,
        NODES,
        OTHER_NODES
    }

    /** Arrivals of tokens at ranks, on nodes, or on other nodes than their own. */
    private static long arrivals(final LoopbackWorld world, final Scenario scenario, final Places which)
    {
        final int expertsPerRank = (scenario.experts + scenario.ranks() - 1) / scenario.ranks();
        long arrivals = 0;
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            final Routing routing = world.data.routings.get(rank);
            for (int token = 0; token < routing.tokens(); token++)
            {
                final BitSet places = new BitSet();
                for (int k = 0; k < scenario.topk; k++)
                {
                    final long expert = routing.idx()[token * scenario.topk + k];
                    if (expert >= 0)
                    {
                        final int at = (int)(expert / expertsPerRank);
                        places.set(Places.RANKS == which ? at : at / scenario.ranksPerNode);
                    }
                }

                if (Places.OTHER_NODES == which)
                {
                    places.clear(rank / scenario.ranksPerNode);
                }

                arrivals += places.cardinality();
            }
        }

        return arrivals;
    }
}
