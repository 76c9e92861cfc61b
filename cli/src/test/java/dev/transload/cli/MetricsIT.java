/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counters of ranks, scraped while a run is under way. */
@Timeout(300)
class MetricsIT
{
    @TempDir
    private Path folder;

    private ServedMetrics served;

    @BeforeEach
    void findServed()
    {
        served = new ServedMetrics(folder);
    }

    @ParameterizedTest
    @CsvSource({"2, --verbose", "2, --in-process"})
    void shouldServeEachRanksGrowingCountersDuringARun(final int ranks, final String how) throws Exception
    {
        final Program program = run("--ranks-per-node", "1", "--iterations", "1000000", "--metrics-port", "0", how);
        try
        {
            Waiting.until("all ranks say where", () -> ranks == served.addresses().size());
            final TreeMap<Integer, URI> addresses = served.addresses();
            for (int rank = 0; rank < ranks; rank++)
            {
                final URI address = addresses.get(rank);
                final String own = "rank=\"" + rank + "\"";
                Waiting.until("rows are counted", () -> served.sum(address, "transload_moved_rows_total", own) > 0);
                final double rows = served.sum(address, "transload_moved_rows_total", own);
                final double calls = served.sum(address, "transload_calls_seconds_count", own);
                Waiting.until("rows grow", () -> served.sum(address, "transload_moved_rows_total", own) > rows);
                Waiting.until("calls grow", () -> served.sum(address, "transload_calls_seconds_count", own) > calls);
                final String other = "peer=\"" + (1 - own(address)) + "\"";
                Waiting.until("waits for the other rank grow",
                    () -> served.sum(address, "transload_peer_wait_seconds_total", other) > 0);
                assertEquals(rank, own(address));
            }
        }
        finally
        {
            program.process().destroy();
            program.end();
        }
    }

    @Test
    void shouldServeCountersOfLowLatencyDuringARun() throws Exception
    {
        final Program program = run("--mode", "low-latency", "--nodes", "1", "--ranks-per-node", "2", "--iterations",
            "1000000", "--metrics-port", "0", "--verbose");
        try
        {
            Waiting.until("both ranks say where", () -> 2 == served.addresses().size());
            for (final URI address : served.addresses().values())
            {
                for (final String kind : List.of("kind=\"low-latency dispatch\"", "kind=\"low-latency combine\""))
                {
                    final double calls = served.sum(address, "transload_calls_seconds_count", kind);
                    Waiting.until("calls grow",
                        () -> served.sum(address, "transload_calls_seconds_count", kind) > calls);
                    assertTrue(served.sum(address, "transload_calls_seconds_sum", kind) > 0);
                }

                assertTrue(served.sum(address, "transload_low_latency_received_rows_total", "local_expert=\"3\"") > 0);
                final String other = "peer=\"" + (1 - own(address)) + "\"";
                assertTrue(served.sum(address, "transload_peer_wait_seconds_total", other) > 0);
                assertEquals(2, served.sum(address, "transload_low_latency_active", "rank=\"" + own(address) + "\""));
            }
        }
        finally
        {
            program.process().destroy();
            program.end();
        }
    }

    @ParameterizedTest
    @CsvSource({"normal, --warmup=0", "low-latency, --in-process"})
    void shouldSayThatAPortIsTaken(final String mode, final String how) throws Exception
    {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            final Program.End end = run("--nodes", "1", "--ranks-per-node", "2", "--iterations", "1000000",
                "--mode", mode, how, "--metrics-port", String.valueOf(taken.getLocalPort())).end();
            assertEquals(ExitCodes.UNAVAILABLE, end.exitCode(), end.err());
            assertEquals(1, end.sentences().size(), end.err());
            assertTrue(end.sentences().get(0).contains("port " + taken.getLocalPort()), end.err());
        }
    }

    @ParameterizedTest
    @Thorough("the same by the other mode's way")
    @CsvSource({"normal, --in-process", "low-latency, --warmup=0"})
    void shouldSayThatAPortIsTakenByAnyWay(final String mode, final String how) throws Exception
    {
        shouldSayThatAPortIsTaken(mode, how);
    }

    @ParameterizedTest
    @CsvSource({"--metrics-port=0.0.0.0, transload.metrics.port", "--metrics-port=65535, rank 3",
        "-Dtransload.metrics.host=0.0.0.0, transload.metrics.host"})
    void shouldRefuseWhatIsNoPortOfLoopback(final String option, final String named) throws Exception
    {
        final Program.End end = run(option).end();
        assertEquals(ExitCodes.BAD_INPUT, end.exitCode(), end.err());
        assertTrue(end.sentences().get(0).contains(named), end.err());
    }

    private Program run(final String... options) throws IOException
    {
        final List<String> args = new ArrayList<>(List.of("run", "--json", "--tokens", "24", "--hidden", "128",
            "--experts", "20", "--topk", "4", "-Dtransload.kernels.mode=scalar", "--timeout", "120s"));
        args.addAll(Arrays.asList(options));
        return Program.startShort(folder, args.toArray(String[]::new));
    }

    /** Rank that all samples of an address are labelled with, except the one that names the build. */
    private int own(final URI address)
    {
        final String build = "transload_build_info";
        assertEquals(1, served.sum(address, build, "commit=\""));
        final List<String> ranks = served.scrape(address).lines()
            .filter((line) -> line.startsWith("transload_") && !line.startsWith(build))
            .map((line) -> line.replaceAll(".*\\brank=\"(\\d+)\".*", "$1")).distinct().toList();
        assertEquals(1, ranks.size(), ranks::toString);
        return Integer.parseInt(ranks.get(0));
    }
}
