/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.WorldConfig;
import dev.transload.reference.Routing;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GatedRoutingTest
{
    @Test
    void shouldSendATokenToAtMostFourNodes()
    {
        final int nodes = 6;
        final int expertsPerNode = 4;
        final Routing routing = new GatedRouting(WorldConfig.of(nodes, 2), nodes * expertsPerNode, 8).route(11, 0, 500);
        int most = 0;
        for (int token = 0; token < routing.tokens(); token++)
        {
            final Set<Long> used = new HashSet<>();
            final Set<Long> experts = new HashSet<>();
            for (int k = 0; k < routing.topk(); k++)
            {
                used.add(routing.expert(token, k) / expertsPerNode);
                assertTrue(experts.add(routing.expert(token, k)), "no expert twice");
            }

            most = Math.max(most, used.size());
        }

        assertEquals(4, most);
    }

    @Test
    void shouldLeaveMissingChoicesOpen()
    {
        // Four of eight nodes with one expert each can fill four of six choices.
        final Routing routing = new GatedRouting(WorldConfig.of(8, 1), 8, 6).route(11, 0, 50);
        for (int token = 0; token < routing.tokens(); token++)
        {
            float sum = 0.0f;
            for (int k = 0; k < 6; k++)
            {
                assertEquals(k >= 4, routing.expert(token, k) < 0);
                assertEquals(k >= 4, 0.0f == routing.weight(token, k));
                sum += routing.weight(token, k);
            }

            assertEquals(1.0f, sum, 1e-5f);
        }
    }

    @Test
    void shouldNeverChooseAnExpertThatOnlyPads()
    {
        // Five experts on four ranks are padded to eight; the last node has one real one.
        final Routing routing = new GatedRouting(WorldConfig.of(2, 2), 5, 5).route(3, 1, 200);
        for (int i = 0; i < routing.idx().length; i++)
        {
            assertTrue(routing.idx()[i] < 5);
        }
    }
}
