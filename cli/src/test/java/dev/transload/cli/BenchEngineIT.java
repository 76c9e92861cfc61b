/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A bench of calls of the engine between processes. */
@Timeout(300)
class BenchEngineIT
{
    private static final List<String> SMALL = List.of("--tokens", "16", "--hidden", "128", "--experts", "8", "--topk",
        "2", "--iterations", "20", "-Dtransload.kernels.mode=scalar", "--timeout", "120s");

    @TempDir
    private Path folder;

    @Test
    void shouldMeasureADispatchBetweenProcessesOfItsOwn() throws Exception
    {
        final Program.End end = bench(0, UcxHost.SHORT_RUN, "aeron", "--mode", "dispatch", "--json", "--dtype", "fp8",
            "--nodes", "2", "--ranks-per-node", "1").end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        final JsonNode json = end.json();
        CliReference.assertKeys("bench of the engine", Set.of("failures[]", "world.ranks_per_node[]"), json);
        assertTrue(json.get("verified").asBoolean());
        assertEquals(1, json.get("results").size());
        final JsonNode dispatch = json.at("/results/0");
        assertEquals("dispatch", dispatch.get("call").asText());
        // Nodes of one rank: what a rank stores for itself, a row for each of its tokens' ranks.
        assertEquals(dispatch.at("/deepep/up_bytes").asLong(), dispatch.get("scale_up_bytes").asLong());
        // Of two nodes, at most both are those of a token; DeepEP counts the own one too.
        final long row = 128 + 4;
        assertTrue(dispatch.at("/deepep/out_bytes").asLong() <= 2 * 32 * row, dispatch::toString);
        assertTrue(dispatch.at("/deepep/out_bytes").asLong() >= 32 * row, dispatch::toString);
        assertEquals(0, dispatch.at("/deepep/out_bytes").asLong() % row);
        assertTrue(dispatch.get("scale_out_bytes").asLong() > 0, dispatch::toString);
        checkCollectiveX(json.get("collectivex"), dispatch);
    }

    /** The same calls in other fields; nodes of one rank, so that rows of other ranks are rows of other nodes. */
    private static void checkCollectiveX(final JsonNode document, final JsonNode dispatch)
    {
        assertEquals("success", document.at("/outcome/status").asText());
        assertTrue(document.at("/identity/case_id").asText().matches(
            "host-[a-z0-9-]+-transload-h128-k2-e8-normal-decode-ep2-[a-z0-9-]+-fp8"), document::toString);
        final JsonNode row = document.at("/measurement/rows/0");
        assertEquals(16, row.get("tokens_per_rank").asInt());
        assertEquals(32, row.get("global_tokens").asInt());
        assertEquals(dispatch.at("/micros/median").asDouble(),
            row.at("/components/dispatch/percentiles_us/p50").asDouble(), 1e-3);
        assertEquals(dispatch.at("/micros/p99").asDouble(),
            row.at("/components/dispatch/percentiles_us/p99").asDouble(), 1e-3);
        assertEquals(dispatch.at("/deepep/up_bytes").asLong(),
            row.at("/byte_provenance/dispatch/total_logical_bytes").asLong());
        assertEquals(64, row.at("/logical_copies/assignments").asInt());
        assertEquals(row.at("/receive/total").asInt(), row.at("/logical_copies/routed").asInt());
        assertTrue(row.at("/cross_rank_min_us/roundtrip/percentiles_us/p50").asDouble() <=
            row.at("/components/roundtrip/percentiles_us/p50").asDouble(), row::toString);
    }

    @Test
    void shouldMeasureLowLatencyBetweenRanksThatWereStartedByHand() throws Exception
    {
        UcxHost.require();
        final String address = LocalPort.freeAddress();
        final Program[] programs = new Program[2];
        for (int rank = 0; rank < programs.length; rank++)
        {
            programs[rank] = bench(rank, UcxHost.variables("tcp,self"), "ucx", "--mode", "low-latency", "--csv",
                "--rank", String.valueOf(rank), "--world", "2", "--rendezvous", address);
        }

        final Program.End first = programs[0].end();
        final Program.End second = programs[1].end();
        assertEquals(ExitCodes.DONE, first.exitCode(), first.err());
        assertEquals(ExitCodes.DONE, second.exitCode(), second.err());
        assertEquals("", second.out());
        final List<String> lines = first.out().lines().toList();
        assertEquals(3, lines.size(), first.out());
        final List<String> columns = List.of(lines.get(0).split(","));
        for (final String line : lines.subList(1, lines.size()))
        {
            final String[] cells = line.split(",", -1);
            assertEquals(columns.size(), cells.length, line);
            assertEquals("true", cells[columns.indexOf("verified")]);
            // Two experts of each of 32 tokens, in BF16.
            assertEquals(String.valueOf(2 * 32 * 128 * 2), cells[columns.indexOf("deepep_out_bytes")], line);
            assertTrue(Double.parseDouble(cells[columns.indexOf("limit_GBps")]) > 0, line);
        }
    }

    private Program bench(
        final int process, final Map<String, String> variables, final String transport, final String... options)
        throws Exception
    {
        final List<String> args = new ArrayList<>(List.of("bench", transport));
        args.addAll(SMALL);
        args.addAll(Arrays.asList(options));
        return Program.start(Files.createDirectories(folder.resolve("process-" + process)), List.of(), variables,
            args.toArray(String[]::new));
    }
}
