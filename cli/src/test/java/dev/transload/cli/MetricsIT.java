/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counters of ranks, scraped while a run is under way. */
@Timeout(300)
class MetricsIT
{
    private static final Pattern NOTE =
        Pattern.compile("rank (\\d+) serves metrics at (http://127\\.0\\.0\\.1:\\d+/metrics)");

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    @ParameterizedTest
    @CsvSource({"2, --verbose", "2, --in-process"})
    void shouldServeEachRanksGrowingCountersDuringARun(final int ranks, final String how) throws Exception
    {
        final Program program = run("--ranks-per-node", "1", "--iterations", "1000000", "--metrics-port", "0", how);
        try
        {
            Waiting.until("all ranks say where", () -> ranks == addresses().size());
            final TreeMap<Integer, URI> addresses = addresses();
            for (int rank = 0; rank < ranks; rank++)
            {
                final URI address = addresses.get(rank);
                final String own = "rank=\"" + rank + "\"";
                Waiting.until("rows are counted", () -> sum(address, "transload_moved_rows_total", own) > 0);
                final double rows = sum(address, "transload_moved_rows_total", own);
                final double calls = sum(address, "transload_calls_seconds_count", own);
                Waiting.until("rows grow", () -> sum(address, "transload_moved_rows_total", own) > rows);
                Waiting.until("calls grow", () -> sum(address, "transload_calls_seconds_count", own) > calls);
                Waiting.until("waits for the other rank grow",
                    () -> sum(address, "transload_peer_wait_seconds_total", "peer=\"" + (1 - own(address)) + "\"") > 0);
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
            Waiting.until("both ranks say where", () -> 2 == addresses().size());
            for (final URI address : addresses().values())
            {
                for (final String kind : List.of("kind=\"low-latency dispatch\"", "kind=\"low-latency combine\""))
                {
                    final double calls = sum(address, "transload_calls_seconds_count", kind);
                    Waiting.until("calls grow", () -> sum(address, "transload_calls_seconds_count", kind) > calls);
                    assertTrue(sum(address, "transload_calls_seconds_sum", kind) > 0);
                }

                assertTrue(sum(address, "transload_low_latency_received_rows_total", "local_expert=\"3\"") > 0);
                final String other = "peer=\"" + (1 - own(address)) + "\"";
                assertTrue(sum(address, "transload_peer_wait_seconds_total", other) > 0);
                assertEquals(2, sum(address, "transload_low_latency_active", "rank=\"" + own(address) + "\""));
            }
        }
        finally
        {
            program.process().destroy();
            program.end();
        }
    }

    @ParameterizedTest
    @CsvSource({"normal, --warmup=0", "normal, --in-process", "low-latency, --warmup=0", "low-latency, --in-process"})
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

    private TreeMap<Integer, URI> addresses()
    {
        try
        {
            final TreeMap<Integer, URI> addresses = new TreeMap<>();
            final Matcher note = NOTE.matcher(Files.readString(folder.resolve("err")));
            while (note.find())
            {
                addresses.put(Integer.parseInt(note.group(1)), URI.create(note.group(2)));
            }

            return addresses;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Rank that all samples of an address are labelled with. */
    private int own(final URI address)
    {
        final List<String> ranks = scrape(address).lines().filter((line) -> line.startsWith("transload_"))
            .map((line) -> line.replaceAll(".*\\brank=\"(\\d+)\".*", "$1")).distinct().toList();
        assertEquals(1, ranks.size(), ranks::toString);
        return Integer.parseInt(ranks.get(0));
    }

    private double sum(final URI address, final String name, final String label)
    {
        return scrape(address).lines().filter((line) -> line.startsWith(name + "{") && line.contains(label))
            .mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    private String scrape(final URI address)
    {
        try
        {
            return client.send(HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(30)).build(),
                HttpResponse.BodyHandlers.ofString()).body();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }
}
