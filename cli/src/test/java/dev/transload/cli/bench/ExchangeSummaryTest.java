/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.bench.ExchangePattern.Traffic;
import dev.transload.cli.bench.ExchangeReport.Latency;
import dev.transload.cli.bench.ExchangeReport.Rate;
import dev.transload.cli.bench.ExchangeReport.Waits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Four ranks on two hosts: pairs of 0 and 2, 1 and 3. */
class ExchangeSummaryTest
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ExchangeTask TASK = new ExchangeTask(
        "ucx", List.of(), ExchangePattern.PAIRS, new int[]{ 1000 }, 0, 1, 64, false);

    private static List<JsonNode> reports(final String limit)
    {
        final List<JsonNode> reports = new ArrayList<>();
        for (int rank = 0; rank < 4; rank++)
        {
            final boolean isSender = rank < 2;
            final boolean isByStream = ExchangeReport.STREAM.equals(limit);
            final List<Rate> rates = new ArrayList<>();
            if (isByStream)
            {
                rates.add(rate(1 << 20, isSender, 1 << 20, 500_000));
            }

            // One sender takes 2 ms for 1 MB, the other 4 ms; copies take 1 ms.
            rates.add(rate(1000, isSender, 1000, 0 == rank ? 2_000_000 : 4_000_000));
            reports.add(JSON.valueToTree(new ExchangeReport(rank, "host-" + rank / 2, 100 + rank, "UCX 1", false,
                "HOST", 4096, limit, rates, !isSender ? List.of() :
                List.of(new Latency(1000, 10, JSON.createObjectNode().put("p50", 2.0 + rank).put("p90", 9.0 - rank)
                    .put("p99", 11.0).put("max", 12.0))))));
        }

        return reports;
    }

    /** 1000 puts in the median round. */
    private static Rate rate(final int bytes, final boolean isSender, final int puts, final long medianNs)
    {
        return new Rate(Traffic.ONE_WAY, bytes, isSender ? 1 << 20 == bytes ? 1 : puts : 0,
            new long[]{ 2 * medianNs, medianNs, medianNs / 2 }, new long[0], new Waits(30, 10, 40, 20));
    }

    @Test
    void shouldCompareMediansWithAStreamBetweenHosts()
    {
        final JsonNode json = new ExchangeSummary(TASK, reports(ExchangeReport.STREAM)).json();

        assertEquals(1, json.get("results").size(), "the stream is no result");
        final JsonNode result = json.at("/results/0");
        assertEquals(0.375, result.get("GBps").asDouble());
        assertEquals(0.25, result.get("slowest_GBps").asDouble());
        assertEquals(0.75, result.get("total_GBps").asDouble());
        assertEquals(2.097152, result.get("limit_GBps").asDouble());
        assertEquals(0.375 / 2.097152, result.get("of_limit").asDouble(), 1e-6);
        assertEquals(0.375, result.get("million_per_second").asDouble());
        assertEquals(0.16, result.at("/waits/delivery_micros").asDouble());
        assertEquals(3.0, json.at("/latencies/0/micros/p50").asDouble(), "of the slowest pair");
        assertEquals(9.0, json.at("/latencies/0/micros/p90").asDouble(), "of the slowest pair");
    }

    @Test
    void shouldEndWithAnAccount()
    {
        final List<String> lines =
            new ExchangeSummary(TASK, reports(ExchangeReport.STREAM)).text().lines().toList();

        assertEquals("ucx, UCX 1, HOST memory, 4 ranks on 2 hosts, pairs, window 64", lines.get(0));
        assertEquals(List.of("account: at best 0.375 GB/s a rank (one-way, 1000 bytes), 0.18 of a stream of large " +
            "puts between the same ranks (2.097 GB/s)", "account: of the time of all ranks, 30 % posting puts, 10 % " +
            "refused for want of room, 40 % waiting for delivery, 20 % waiting for other ranks"),
            lines.subList(lines.size() - 2, lines.size()));
    }

    @Test
    void shouldWriteAsManyCellsAsColumns()
    {
        final List<String> lines =
            new ExchangeSummary(TASK, reports(ExchangeReport.STREAM)).csv().lines().toList();

        assertEquals(3, lines.size());
        for (final String line : lines)
        {
            assertEquals(lines.get(0).split(",").length, line.split(",", -1).length, line);
        }

        assertTrue(lines.get(1).startsWith("ucx,4,2,pairs,64,one-way,1000,0.375000,0.250000,0.750000,stream,"),
            lines.get(1));
        assertTrue(lines.get(2).endsWith(",3.000,9.000,11.000,12.000"), lines.get(2));
    }
}
