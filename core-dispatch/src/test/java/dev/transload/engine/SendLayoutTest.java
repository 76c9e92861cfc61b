/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.engine.internal.plan.SendLayout;
import dev.transload.engine.internal.runtime.Layouts;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.reference.ReferenceLayout;
import dev.transload.reference.Routing;
import dev.transload.spi.MemoryKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Layout against the brute-force reference. */
class SendLayoutTest
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
            final SendLayout routes = new SendLayout(geometry);
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

    /**
     * Masks of several words, in which nodes begin anywhere: of channels whose tokens all go somewhere, and of such
     * with tokens that go nowhere.
     */
    @ParameterizedTest
    @CsvSource({"1, 130, 0", "1, 130, 0.9", "2, 64, 0.5", "2, 70, 0", "2, 70, 0.9", "5, 26, 0.5", "130, 1, 0.5"})
    void shouldMaskMoreRanksThanAWordHasBits(final int nodes, final int locals, final double missing)
    {
        final Scenario scenario = new Scenario(3);
        scenario.nodes = nodes;
        scenario.ranksPerNode = locals;
        scenario.tokens = new int[nodes * locals];
        scenario.tokens[0] = 41;
        scenario.experts = 260;
        scenario.topk = 5;
        scenario.missing = missing;
        final WorldData data = new WorldData(scenario);
        final Geometry geometry = new Geometry(new World(nodes, locals, 0), scenario.config("any"));
        final SendLayout routes = new SendLayout(geometry);
        compute(routes, data.routings.get(0), scenario.experts);
        final boolean[][] expected = data.reference.layout(0).tokenInRank();
        for (int token = 0; token < scenario.tokens[0]; token++)
        {
            for (int node = 0; node < nodes; node++)
            {
                boolean isAny = false;
                for (int local = 0; local < locals; local++)
                {
                    final boolean isInRank = expected[token][node * locals + local];
                    final long bits = routes.mask(token, node, local >> 6);
                    assertEquals(isInRank, 0 != (bits & 1L << (local & 63)), "token " + token);
                    assertEquals(isInRank, routes.isInRank(token, node, local), "token " + token);
                    isAny |= isInRank;
                }

                assertEquals(isAny, routes.isInNode(token, node), "token " + token);
                assertEquals(0, locals % 64 == 0 ? 0 : routes.mask(token, node, locals >> 6) >>> (locals & 63));
            }
        }
    }

    private static void compute(final SendLayout routes, final Routing routing, final int experts)
    {
        final ByteBuffer idx =
            ByteBuffer.allocate(routing.idx().length * Long.BYTES).order(ByteOrder.nativeOrder());
        idx.asLongBuffer().put(routing.idx());
        routes.compute(idx, routing.tokens(), routing.topk(), experts);
    }

    /** Channel c has the tokens [c·⌈T/C⌉, (c+1)·⌈T/C⌉), and its start is what the channels before it send. */
    private static void verifyChannels(
        final SendLayout routes, final ReferenceLayout expected, final Scenario scenario, final String where)
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
