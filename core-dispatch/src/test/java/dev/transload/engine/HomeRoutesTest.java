/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.engine.memory.Geometry;
import dev.transload.engine.route.HomeRoutes;
import dev.transload.reference.ReferenceLayout;
import dev.transload.reference.Routing;
import dev.transload.spi.MemoryKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Layout against the brute-force reference. */
class HomeRoutesTest
{
    private static final int SEEDS = 300;

    @Test
    void shouldAgreeWithTheReferenceLayout()
    {
        for (long seed = 1; seed <= SEEDS; seed++)
        {
            final Scenario scenario = Scenario.random(seed, MemoryKind.HOST);
            final WorldData data = new WorldData(scenario);
            final Geometry geometry = new Geometry(
                new World(scenario.nodes, scenario.ranksPerNode, 0), scenario.config("any"));
            final HomeRoutes routes = new HomeRoutes(geometry);
            for (int rank = 0; rank < scenario.ranks(); rank++)
            {
                compute(routes, data.routings.get(rank), scenario.experts);
                final ReferenceLayout expected = data.reference.layout(rank);
                final DispatchLayout layout = Layouts.of(routes, geometry);
                final String where = "rank " + rank + " of " + scenario;
                assertArrayEquals(expected.tokensPerRank(), layout.tokensPerRank(), where);
                assertArrayEquals(expected.tokensPerNode(), layout.tokensPerNode(), where);
                assertArrayEquals(expected.tokensPerExpert(), layout.tokensPerExpert(), where);
                assertArrayEquals(expected.tokenInRank(), layout.tokenInRank(), where);
                verifyChannels(routes, expected, scenario, where);
            }
        }
    }

    private static void compute(final HomeRoutes routes, final Routing routing, final int experts)
    {
        final ByteBuffer idx =
            ByteBuffer.allocate(routing.idx().length * Long.BYTES).order(ByteOrder.nativeOrder());
        idx.asLongBuffer().put(routing.idx());
        routes.compute(idx, routing.tokens(), routing.topk(), experts);
    }

    /** Channel c has the tokens [c·⌈T/C⌉, (c+1)·⌈T/C⌉), and its start is what the channels before it send. */
    private static void verifyChannels(
        final HomeRoutes routes, final ReferenceLayout expected, final Scenario scenario, final String where)
    {
        final int tokens = expected.tokenInRank().length;
        final int slice = (tokens + scenario.channels - 1) / scenario.channels;
        for (int channel = 0; channel <= scenario.channels; channel++)
        {
            assertEquals(Math.min(tokens, channel * slice), routes.firstToken(channel), where);
            for (int rank = 0; rank < scenario.ranks(); rank++)
            {
                int before = 0;
                for (int token = 0; token < routes.firstToken(channel); token++)
                {
                    before += expected.tokenInRank()[token][rank] ? 1 : 0;
                }

                assertEquals(before, routes.rankStart(channel, rank), where);
            }
        }
    }
}
