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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bench between processes that were started one by one, as on two hosts, or by a launcher. */
@Timeout(300)
class BenchRanksIT
{
    private static final List<String> SMALL = List.of("--sizes", "8,4k,100001", "--iterations", "40", "--window", "8",
        "--check", "--timeout", "120s");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = { "aeron", "ucx" })
    void shouldMeasurePairsOfRanksThatWereStartedByHand(final String transport) throws Exception
    {
        if (UcxHost.NAME.equals(transport))
        {
            UcxHost.require();
        }

        final String address = LocalPort.freeAddress();
        final Program[] programs = new Program[2];
        for (int rank = 0; rank < programs.length; rank++)
        {
            programs[rank] = bench(rank, UcxHost.variables("tcp,self"), transport, "--json", "--rank",
                String.valueOf(rank), "--world", "2", "--rendezvous", address);
        }

        final Program.End first = programs[0].end();
        final Program.End second = programs[1].end();
        assertEquals(ExitCodes.DONE, first.exitCode(), first.err());
        assertEquals(ExitCodes.DONE, second.exitCode(), second.err());
        assertEquals("", second.out());
        final JsonNode json = first.json();
        CliReference.assertKeys("bench between ranks", Set.of(), json);
        assertEquals(2, json.get("ranks").size());
        assertEquals("memcpy", json.get("limit").asText());
        assertEquals(List.of("one-way 8", "one-way 4096", "one-way 100001", "both-ways 8", "both-ways 4096",
            "both-ways 100001"), traffics(json));
        assertEquals(3, json.get("latencies").size());
        for (final JsonNode result : json.get("results"))
        {
            assertEquals(8, result.get("puts").asInt());
            assertEquals(5, result.get("rounds").asInt());
            final double rate = result.get("GBps").asDouble();
            assertTrue(rate > 0, result::toString);
            assertEquals(rate * ("one-way".equals(result.get("traffic").asText()) ? 1 : 2),
                result.get("total_GBps").asDouble(), 1e-5, result::toString);
            assertEquals(rate / result.get("limit_GBps").asDouble(), result.get("of_limit").asDouble(), 1e-2,
                result::toString);
        }
    }

    @Test
    void shouldMeasureAllToAllBetweenProcessesOfItsOwn() throws Exception
    {
        final Program.End end =
            bench(0, UcxHost.SHORT_RUN, "aeron", "--csv", "--pattern", "all-to-all", "--ranks", "3").end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        final List<String> lines = end.out().lines().toList();
        assertEquals(4, lines.size(), end.out());
        final List<String> columns = List.of(lines.get(0).split(","));
        for (final String line : lines.subList(1, lines.size()))
        {
            final String[] cells = line.split(",", -1);
            assertEquals(columns.size(), cells.length, line);
            assertEquals("all-to-all", cells[columns.indexOf("traffic")]);
            assertTrue(Double.parseDouble(cells[columns.indexOf("total_GBps")]) > 0, line);
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

    private static List<String> traffics(final JsonNode json)
    {
        final List<String> traffics = new ArrayList<>();
        json.get("results").forEach((result) ->
            traffics.add(result.get("traffic").asText() + " " + result.get("bytes").asInt()));
        return traffics;
    }
}
