/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunPageTest
{
    @Test
    void shouldHoldAllFiguresOfTheSummaryUnchanged()
    {
        final Summary summary = SampleSummary.of("a trace", "rank 1, row 3: differs");
        assertContains(SummaryJson.of(summary), RunPage.data(summary), "");
    }

    @Test
    void shouldAddTheSlowestRankOfEachIteration()
    {
        final JsonNode micros = RunPage.data(SampleSummary.of("a trace", null)).at("/combine/micros");

        assertEquals(1, micros.get("iterations_per_point").asInt());
        assertEquals(SampleSummary.ITERATIONS, micros.get("by_iteration").size());
        assertEquals(1.5, micros.at("/by_iteration/0").asDouble());
        assertEquals(300.0, micros.at("/by_iteration/199").asDouble());
    }

    @Test
    void shouldKeepTheSlowestWhereManyIterationsBecomeOnePoint()
    {
        final int iterations = 2 * RunPage.MOST_POINTS + 1;
        final JsonNode micros = RunPage.data(SampleSummary.of("a trace", null, iterations)).at("/dispatch/micros");

        assertEquals(3, micros.get("iterations_per_point").asInt());
        assertEquals((iterations + 2) / 3, micros.get("by_iteration").size());
        assertEquals(4.5, micros.at("/by_iteration/0").asDouble());
        assertEquals(1.5 * iterations, micros.at("/by_iteration/" + (iterations - 1) / 3).asDouble());
    }

    @Test
    void shouldAddPercentilesUpToTheGreatest()
    {
        final JsonNode percentiles = RunPage.data(SampleSummary.of("a trace", null)).at("/dispatch/micros/percentiles");
        final JsonNode first = percentiles.get(0);
        final JsonNode last = percentiles.get(percentiles.size() - 1);

        // Three digits of a value count.
        assertEquals(0.0, first.get(0).asDouble());
        assertEquals(1.5, first.get(1).asDouble(), 0.0015);
        assertEquals(100.0, last.get(0).asDouble());
        assertEquals(300.0, last.get(1).asDouble(), 0.3);
        double before = 0.0;
        for (final JsonNode pair : percentiles)
        {
            assertTrue(pair.get(1).asDouble() >= before, percentiles.toString());
            before = pair.get(1).asDouble();
        }
    }

    @Test
    void shouldSayTheStageOfEachRoleAndTheMediansOfEachRank()
    {
        final JsonNode data = RunPage.data(SampleSummary.of("a trace", null));

        assertEquals("dispatch, scale-up", data.at("/roles/forwarder/stage").asText());
        assertEquals(100.0, data.at("/ranks/0/median_micros/dispatch").asDouble());
        assertEquals(150.0, data.at("/ranks/1/median_micros/combine").asDouble());
    }

    private static void assertContains(final JsonNode part, final JsonNode whole, final String path)
    {
        if (part instanceof final ObjectNode object)
        {
            for (final Map.Entry<String, JsonNode> field : object.properties())
            {
                assertTrue(whole.has(field.getKey()), path + "/" + field.getKey());
                assertContains(field.getValue(), whole.get(field.getKey()), path + "/" + field.getKey());
            }
        }
        else if (part.isArray())
        {
            assertEquals(part.size(), whole.size(), path);
            for (int i = 0; i < part.size(); i++)
            {
                assertContains(part.get(i), whole.get(i), path + "/" + i);
            }
        }
        else
        {
            assertEquals(List.of(part), List.of(whole), path);
        }
    }
}
