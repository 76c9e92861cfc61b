/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RankReport.ProcessorReport;
import dev.transload.cli.rank.RankReport.RoleReport;
import dev.transload.cli.report.RunHeader.LowLatencyHeader;
import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest
{
    @Test
    void shouldSumUpTheIterationsThatAllRanksMadeBeforeASignal()
    {
        final RunHeader header = SampleSummary.of("a trace", null).header();
        final List<RankReport> ranks = List.of(
            SampleSummary.report(0, null, 50).first(40, 12e9), SampleSummary.report(1, null, 40).first(40, 12e9));
        final Summary summary = Summary.of(header.interrupted(40), ranks);
        final JsonNode json = SummaryJson.of(summary);

        assertTrue(json.get("interrupted").asBoolean());
        assertEquals(40, json.get("iterations").asInt());
        assertEquals(200, json.get("iterations_planned").asInt());
        assertEquals(40 * 1.5, json.at("/dispatch/micros/p99").asDouble());
        assertEquals(8000, json.at("/dispatch/scale_out_bytes").asInt(), "bytes of an iteration, whoever made more");
        assertTrue(SummaryText.of(summary).startsWith("INTERRUPTED: figures are of the first 40 of 200 iterations"));
    }

    @Test
    void shouldTellWhoWasStartedAgain()
    {
        final Summary summary = SampleSummary.restarted();

        assertEquals(1.25, SummaryJson.of(summary).at("/restarts/0/seconds").asDouble());
        assertTrue(SummaryText.of(summary).startsWith(
            "restarted: rank 1 (pid 78) was ended by SIGKILL; all ranks met again after 1.3 s\n"),
            SummaryText.of(summary));
    }

    @Test
    void shouldCountIterationsFromTheLastRestart()
    {
        final RunHeader header = SampleSummary.of("a trace", null).header();
        final int all = header.warmup() + header.iterations();

        assertEquals(header, header.after(0));
        assertEquals(1, header.after(all).iterations(), "the last one is made again");
        assertEquals(0, header.after(all).warmup());
    }

    @Test
    void shouldLeaveOutWhatWasNotMeasuredBeforeASignal()
    {
        final RankReport sample = SampleSummary.report(0, null, 1);
        final RankReport cold = new RankReport(0, 77, "node", 1, 1, 1, false, 1, null, sample.dispatchNs(),
            sample.combineNs(), sample.lapNs(), new int[0], 0, 0, 0, 0, Double.NaN, ProcessorReport.UNKNOWN,
            sample.roles(), new long[1], List.of(), sample.transports(), "HOST", 0, 12e9, new int[0], new int[0],
            null, null, 0);
        final Summary summary = Summary.of(SampleSummary.of("a trace", null).header().interrupted(1), List.of(cold));

        assertTrue(SummaryJson.of(summary).get("allocated_bytes_per_iteration").isNull());
        assertTrue(SummaryJson.of(summary).at("/processor_micros_per_iteration/threads").isNull());
    }

    @Test
    void shouldKeepTheContractOfTheJson()
    {
        final JsonNode json = SummaryJson.of(summary(null));

        assertTrue(json.get("verified").isBoolean());
        assertFalse(json.get("interrupted").asBoolean());
        assertEquals(200, json.get("iterations_planned").asInt());
        assertEquals(2, json.at("/world/nodes").asInt());
        assertEquals(1, json.at("/world/ranks_per_node").asInt());
        for (final String stage : List.of("scale_out", "scale_up"))
        {
            final JsonNode transport = json.get("transports").get(stage);
            assertTrue(transport.get("name").isTextual());
            assertTrue(transport.get("version").isTextual());
            assertEquals("HOST", transport.get("memory_kinds").get(0).asText());
            assertTrue(transport.get("emulated").isBoolean());
            assertEquals("nvlink", transport.at("/passed_over/0/name").asText());
            assertEquals("there is no GPU", transport.at("/passed_over/0/reason").asText());
        }

        for (final String call : List.of("dispatch", "combine"))
        {
            final JsonNode figures = json.get(call);
            for (final String micros : List.of("min", "median", "p99"))
            {
                assertTrue(figures.get("micros").get(micros).isNumber(), call + " " + micros);
            }

            for (final String figure : List.of(
                "scale_out_bytes", "scale_up_bytes", "scale_out_GBps", "scale_up_GBps"))
            {
                assertTrue(figures.get(figure).isNumber(), call + " " + figure);
            }
        }

        final JsonNode wall = json.at("/dispatch_and_combine/wall_micros_per_iteration");
        assertEquals(99, wall.get("iterations").asInt());
        assertEquals(225.0, wall.get("mean").asDouble());
        assertTrue(wall.get("least").isNumber());
        assertTrue(wall.get("greatest").isNumber());
        assertFalse(json.get("emulated").asBoolean());
        assertEquals("HOST", json.get("payload").asText());
        assertEquals(0, json.at("/ranks/1/device").asInt());
        assertEquals(30, json.get("tokens").asInt());
        assertEquals(70, json.get("rows_received").asInt());
        assertTrue(json.get("memcpy_GBps").isNumber());
        assertTrue(json.get("allocated_bytes_per_iteration").isNumber());
        assertEquals(7.0, json.at("/processor_micros_per_iteration/threads").asDouble());
        assertEquals(18.0, json.at("/processor_micros_per_iteration/process").asDouble());
        assertTrue(json.at("/roles/forwarder/busy_micros").isNumber());
        assertTrue(json.at("/roles/forwarder/waiting_micros").isNumber());
        assertEquals(77, json.at("/ranks/1/pid").asInt());
        assertEquals("node-1", json.at("/ranks/1/host").asText());
        assertEquals(1, json.at("/ranks/0/waited_most_for").asInt());
        assertEquals(2, json.at("/ranks/0/waiting_micros_by_source").size());
        final JsonNode wait = json.at("/ranks/0/thread_waits/0");
        assertEquals("combine", wait.get("call").asText());
        assertEquals(1, wait.get("for_rank").asInt());
        assertEquals("scale-out.tail", wait.get("counter").asText());
        assertEquals(600.0, wait.get("micros").asDouble());
    }

    @Test
    void shouldTakeTheSlowestRankOfEachIteration()
    {
        final CallFigures dispatch = summary(null).dispatch();

        // Rank 0 takes 1 to 200 us, rank 1 half as long again.
        assertEquals(1.5, dispatch.minMicros());
        assertEquals(150.0, dispatch.medianMicros());
        assertEquals(297.0, dispatch.p99Micros());
        assertEquals(2 * 4000, dispatch.scaleOutBytes());
        assertEquals(8000 / 150e-6 / 1e9, dispatch.scaleOutGBps(), 1e-9);
    }

    @Test
    void shouldTellTheWallTimeOfSeveralIterationsOnly()
    {
        assertTrue(SummaryText.of(summary(null)).contains("wall time: 225.0 us an iteration"));
        assertFalse(SummaryText.of(SampleSummary.of("a trace", null, 1)).contains("wall time"));
    }

    @Test
    void shouldTellOfAWarmupOnlyWhereThereWasOne()
    {
        assertEquals(0, SummaryJson.of(summary(null)).get("warmup").asInt());
        assertFalse(SummaryText.of(summary(null)).contains("warm-up"));
        final Summary warm = SampleSummary.of("a trace", null, 1, 300);
        assertEquals(300, SummaryJson.of(warm).get("warmup").asInt());
        assertEquals(1, SummaryJson.of(warm).get("iterations").asInt());
        assertTrue(SummaryText.of(warm).contains("70 rows received after a warm-up of 300"));
        assertFalse(SummaryText.of(warm).contains("cold JVMs"));
        assertTrue(SummaryText.of(SampleSummary.of("a trace", null, 1)).contains("cold JVMs"));
    }

    @Test
    void shouldCountRolesOfAllRanksAndThreadsOfAProcessOnce()
    {
        final Summary summary = summary(null);

        assertEquals(new RoleReport("forwarder", 20, 40), summary.roles().get("forwarder"));
        assertEquals(32.0, summary.allocated());
        assertEquals(new ProcessorReport(7000.0, 18_000.0), summary.processor());
        final Summary shared = SampleSummary.onDevices("a", "a");
        assertEquals(16.0, shared.allocated());
        assertEquals(new ProcessorReport(4000.0, 9000.0), shared.processor());
    }

    @Test
    void shouldCountInTheFormThatGoesWithTheNumber()
    {
        final String text = SummaryText.of(summary(null));
        assertTrue(text.startsWith("2 nodes x 1 rank, 2 channels, rank-major rows"));
        assertTrue(text.contains("passed over: nvlink is unavailable because there is no GPU"), text);
        final String lowLatency = SummaryText.of(SampleSummary.onDevices(new LowLatencyHeader(128, 1), "a", "b"));
        assertTrue(lowLatency.startsWith("1 node x 2 ranks, "), lowLatency);
        assertTrue(lowLatency.contains("low latency: 1 call of at most 128 tokens a rank"), lowLatency);
    }

    @Test
    void shouldSayWhatIsNotVerified()
    {
        final Summary summary = summary("rank 1, row 3 (from rank 0, token 2): recv_x[1] is 0x1, must be 0x2");

        assertFalse(summary.isVerified());
        assertFalse(SummaryJson.of(summary).get("verified").asBoolean());
        assertTrue(SummaryJson.of(summary).at("/failures/0").asText().startsWith("rank 1, row 3"));
        assertTrue(SummaryText.of(summary).contains("NOT VERIFIED: rank 1, row 3"));
        assertTrue(SummaryText.of(summary(null)).contains("bit for bit"));
    }

    /** Rank 0 has verified one iteration, rank 1 two. */
    @Test
    void shouldSayHowManyIterationsAreVerified()
    {
        final JsonNode json = SummaryJson.of(SampleSummary.of("a trace", null, 200, 300));

        assertEquals(1, json.get("verified_iterations").asInt());
        assertEquals(500, json.get("all_iterations").asInt());
        assertEquals("distinct", json.get("answers").asText());
        assertTrue(SummaryText.of(SampleSummary.of("a trace", null, 200, 300)).contains(
            "verified: 1 of 500 iterations, warm-up included: every row"));
        assertTrue(SummaryText.of(SampleSummary.of("a trace", null, 1)).contains("verified: 1 of 1 iteration: every"));
    }

    @Test
    void shouldNameDevicesAndSayWhoSharesOne()
    {
        final Summary apart = SampleSummary.onDevices("a", "b");
        final Summary together = SampleSummary.onDevices("a", "a");

        assertTrue(SummaryText.of(together).contains(
            "payload:   CUDA memory, rank 0 on device 3, rank 1 on device 3; ranks share 1 device"));
        assertTrue(SummaryText.of(apart).contains("rank 1 on device 3, emulated" + System.lineSeparator()));
        assertFalse(SummaryText.of(summary(null)).contains("payload:"));
        assertTrue(SummaryJson.of(apart).get("emulated").asBoolean());
        assertEquals("CUDA", SummaryJson.of(apart).get("payload").asText());
        assertEquals(3, SummaryJson.of(apart).at("/ranks/1/device").asInt());
    }

    @Test
    void shouldPassReportsBetweenProcesses() throws Exception
    {
        final ObjectMapper json = new ObjectMapper();
        final RankReport report = SampleSummary.report(1, null, SampleSummary.ITERATIONS);
        final RankReport read = json.readValue(json.writeValueAsString(report), RankReport.class);

        assertEquals(json.<JsonNode>valueToTree(report), json.<JsonNode>valueToTree(read));
    }

    private static Summary summary(final String failure)
    {
        return SampleSummary.of("a trace", failure);
    }
}
