/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The main job: with real processes where they are what is tested, else in small runs. */
@Timeout(300)
class RunIT
{
    /** Scalar kernels, since checking the vector ones costs a JVM more than such a run. */
    private static final int SIGINT = 2;
    private static final int SIGKILL = 9;
    private static final int SIGTERM = 15;
    private static final String[] SMALL = {
        "--tokens", "24", "--hidden", "128", "--experts", "20", "--topk", "4", "-Dtransload.kernels.mode=scalar",
        "--timeout", "120s" };

    /** Requests, results and handles of four ranks in an iteration take tens of thousands of bytes. */
    private static final double CALLS_ALLOCATE = 8192;

    @TempDir
    private Path folder;

    @Test
    void shouldVerifyTheShippedTraceByDefault() throws Exception
    {
        final Program program = Program.startShort(folder, "run", "--json", "--timeout", "120s");
        final Program.End end = program.end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        final JsonNode json = end.json();
        CliReference.assertValid("transload run", json);
        assertTrue(json.get("verified").asBoolean());
        assertEquals(4, json.at("/world/ranks").asInt());
        assertEquals(4357, json.get("tokens").asInt());
        assertEquals("aeron", json.at("/transports/scale_out/name").asText());
        assertEquals(List.of(), program.left());
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, bf16, rank-major", "1, 4, fp8, expert-major", "4, 1, bf16, expert-major", "2, 2, fp8, rank-major",
        "2, 4, bf16, rank-major", "4, 2, fp8, rank-major", "3, 3, bf16, expert-major", "2, 8, bf16, rank-major" })
    void shouldVerifyEveryWorld(final int nodes, final int ranksPerNode, final String dtype, final String order)
        throws Exception
    {
        final JsonNode json = verified("--nodes", String.valueOf(nodes), "--ranks-per-node",
            String.valueOf(ranksPerNode), "--dtype", dtype, "-Dtransload.dispatch.output=" + order,
            "-Dtransload.dispatch.expert-alignment=4");

        assertEquals(nodes * ranksPerNode, json.get("ranks").size());
        assertEquals(24 * nodes * ranksPerNode, json.get("tokens").asInt());
        assertEquals(order, json.get("output").asText());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "2,1,3 | bf16 | rank-major | normal", "1,3 | fp8 | expert-major | normal", "2,1 | fp8 | | low-latency" })
    void shouldVerifyNodesOfDifferentNumbersOfRanks(
        final String ranksOfNodes, final String dtype, final String order, final String mode) throws Exception
    {
        final List<String> options = new ArrayList<>(List.of("--in-process", "--ranks-per-node", ranksOfNodes,
            "--dtype", dtype, "--mode", mode));
        if (null != order)
        {
            options.add("-Dtransload.dispatch.output=" + order);
        }

        final JsonNode world = verified(options.toArray(new String[0])).get("world");
        final List<String> ranks = new ArrayList<>();
        world.get("ranks_per_node").forEach((count) -> ranks.add(count.asText()));
        assertEquals(ranksOfNodes, String.join(",", ranks));
        assertEquals(ranks.size(), world.get("nodes").asInt());
        assertEquals(ranks.stream().mapToInt(Integer::parseInt).sum(), world.get("ranks").asInt());
    }

    @Test
    void shouldVerifyMessagesBetweenProcesses() throws Exception
    {
        final Program program = run("-Dtransload.aeron.data-path=messages");
        final Program.End end = program.end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.json().get("verified").asBoolean());
        assertEquals(List.of(), program.left());
    }

    @ParameterizedTest
    @CsvSource({ "1, 3, bf16, rank-major", "1, 2, fp8, expert-major", "2, 2, bf16, rank-major" })
    void shouldVerifyRepeatedRouting(
        final int nodes, final int ranksPerNode, final String dtype, final String order) throws Exception
    {
        verified("--nodes", String.valueOf(nodes), "--ranks-per-node", String.valueOf(ranksPerNode), "--dtype", dtype,
            "-Dtransload.dispatch.output=" + order, "--cached", "--iterations", "4");
    }

    /**
     * Ranks that drive their engines do all else beside them. The figure of the heap shows who runs the engine: where
     * the ranks do, it has what calls are made of; threads of the engine take next to nothing, once warm.
     */
    @ParameterizedTest
    @CsvSource({ "0, bf16", "0, fp8", "1, fp8" })
    void shouldVerifyWhoeverRunsTheEngine(final int threads, final String dtype) throws Exception
    {
        final JsonNode json = verified("--dtype", dtype, "--iterations", "40",
            "--warmup", "20", "-Dtransload.threads.count=" + threads);

        assertEquals(40, json.get("iterations").asInt());
        final double allocated = json.get("allocated_bytes_per_iteration").asDouble();
        assertTrue(0 == threads ? allocated > CALLS_ALLOCATE : allocated < CALLS_ALLOCATE, allocated + " bytes");
    }

    @Test
    void shouldLeaveAWarmupOutOfAllFigures() throws Exception
    {
        final JsonNode json = verified("--in-process", "--warmup", "5", "--iterations", "4");
        final JsonNode cold = verified("--in-process");

        assertEquals(4, json.get("iterations").asInt());
        assertEquals(5, json.get("warmup").asInt());
        assertEquals(0, cold.get("warmup").asInt());
        // Of four samples, the first half is left out, and the last one.
        assertEquals(1, json.at("/dispatch_and_combine/wall_micros_per_iteration/iterations").asInt());
        assertEquals(cold.get("rows_received"), json.get("rows_received"));
        for (final String bytes : List.of("scale_out_bytes", "scale_up_bytes"))
        {
            assertTrue(cold.get("dispatch").get(bytes).asLong() > 0);
            assertEquals(cold.get("dispatch").get(bytes), json.get("dispatch").get(bytes));
            assertEquals(cold.get("combine").get(bytes), json.get("combine").get(bytes));
        }
    }

    /** The first call of the warm-up is the whole one: what it alone delivers is verified in the single iteration. */
    @Test
    void shouldRepeatTheRoutingOfAWarmup() throws Exception
    {
        final Path report = folder.resolve("run.html");
        final JsonNode json = verified(
            "--in-process", "--cached", "--warmup", "1", "--iterations", "1", "--report", report.toString());

        assertEquals(1, json.get("iterations").asInt());
        assertEquals(1, json.get("warmup").asInt());
        final Matcher data = Pattern.compile("id=\"data\">(.*?)</script>", Pattern.DOTALL)
            .matcher(Files.readString(report));
        assertTrue(data.find());
        final JsonNode page = new ObjectMapper().readTree(data.group(1));
        assertEquals(1, page.at("/dispatch/micros/by_iteration").size());
        assertEquals(1, page.at("/combine/micros/by_iteration").size());
    }

    @ParameterizedTest
    @ValueSource(strings = { "corrupt-row", "swap-rows", "drop-row" })
    void shouldFailAndNameTheRowThatIsSpoiled(final String injection) throws Exception
    {
        final Program.End end = SmallRun.end(folder, Map.of(), args("--inject", injection));

        assertEquals(ExitCodes.FAILED, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).matches(
            "transload: verification failed: rank \\d, row \\d+ \\(from rank \\d, token \\d+\\).*"), end.err());
    }

    @Test
    void shouldWriteTensorsThatCanBeRunAgain() throws Exception
    {
        final Path output = folder.resolve("output");
        verified("--output", output.toString(), "--iterations", "2");
        assertTrue(Files.isRegularFile(output.resolve("rank-0003.safetensors")));
        assertTrue(Files.readString(output.resolve("summary.json")).contains("\"verified\" : true"));

        final Path again = folder.resolve("again");
        final Program.End end = SmallRun.end(folder, Map.of(), "run", "--json", "--input", output.toString(),
            "--output", again.toString(), "--timeout", "120s");
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        for (int rank = 0; rank < 4; rank++)
        {
            final String name = String.format("rank-%04d.safetensors", rank);
            assertEquals(-1, Files.mismatch(output.resolve(name), again.resolve(name)), name);
        }
    }

    @Test
    void shouldNameARankThatIsKilledInMidRun() throws Exception
    {
        final Program program = run("--iterations", "1000000", "--timeout", "20s");
        Waiting.until("four ranks run", () -> 4 == program.ranks().size() && hasBegun(program));
        final List<ProcessHandle> ranks = program.ranks();
        final ProcessHandle victim =
            ranks.stream().filter((rank) -> RankProcesses.isRank(rank, 2)).findFirst().orElseThrow();
        victim.destroyForcibly();
        final Program.End end = program.end();

        assertEquals(ExitCodes.PEER_FAILED, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).contains("rank 2 (pid " + victim.pid() + ") was ended by SIGKILL"),
            end.err());
        assertTrue(ranks.stream().noneMatch(ProcessHandle::isAlive));
        assertEquals(List.of(), program.left());
    }

    @Test
    void shouldTellWhatWasMeasuredWhenItIsInterrupted() throws Exception
    {
        // Where these tests run in the background, a shell may have them ignore Ctrl-C.
        final Program program = Program.start(folder, List.of("env", "--default-signal=INT"), UcxHost.SHORT_RUN,
            args("--iterations", "1000000", "--report", "run.html", "--metrics-port", "0"));
        final ServedMetrics served = new ServedMetrics(folder);
        Waiting.until("all ranks say where", () -> 4 == served.addresses().size());
        final List<ProcessHandle> ranks = program.ranks();
        // Ctrl-C on a terminal reaches the ranks as well, which must leave it to their launcher.
        ranks.forEach((rank) -> signal("INT", rank.pid()));
        // More than two dispatches and a combine: a second iteration has begun, so that the first one is verified.
        served.addresses().forEach((rank, address) -> Waiting.until("rank " + rank + " has verified an iteration",
            () -> served.sum(address, "transload_calls_seconds_count", "rank=\"" + rank + "\"") > 3));
        assertTrue(ranks.stream().allMatch(ProcessHandle::isAlive));
        signal("INT", program.process().pid());
        final Program.End end = program.end();

        assertEquals(128 + SIGINT, end.exitCode(), end.err());
        assertTrue(end.sentences().get(4).matches("transload: interrupted by SIGINT after \\d+ of 1000000 " +
            "iterations: the report is of these"), end.err());
        final JsonNode json = end.json();
        CliReference.assertValid("transload run", json);
        assertTrue(json.get("interrupted").asBoolean());
        assertTrue(json.get("verified").asBoolean());
        assertTrue(json.get("iterations").asInt() > 0);
        assertEquals(1_000_000, json.get("iterations_planned").asInt());
        assertTrue(Files.readString(folder.resolve("run.html")).contains("\"interrupted\":true"));
        assertTrue(ranks.stream().noneMatch(ProcessHandle::isAlive));
        assertEquals(List.of(), program.left());
    }

    @Test
    void shouldLeaveNothingWhenItIsKilledItself() throws Exception
    {
        leaveNothingWhenEnded(true);
    }

    @Test
    @Thorough("it is killed and interrupted in the gate; this is between")
    void shouldLeaveNothingWhenItIsEndedItself() throws Exception
    {
        leaveNothingWhenEnded(false);
    }

    private void leaveNothingWhenEnded(final boolean isForced) throws Exception
    {
        final Program program = run("--iterations", "1000000");
        Waiting.until("four ranks run", () -> 4 == program.ranks().size() && hasBegun(program));
        final List<ProcessHandle> ranks = program.ranks();
        if (isForced)
        {
            program.process().destroyForcibly();
        }
        else
        {
            program.process().destroy();
        }

        Waiting.until("all ranks end", () -> ranks.stream().noneMatch(ProcessHandle::isAlive));
        final Program.End end = program.end();
        assertEquals(128 + (isForced ? SIGKILL : SIGTERM), end.exitCode(), end.err());
        assertEquals(isForced ? 0 : 1, end.sentences().size(), end.err());
        assertTrue(isForced || end.sentences().get(0).startsWith("transload: interrupted by SIGTERM "), end.err());
        assertEquals(List.of(), program.left());
    }

    private JsonNode verified(final String... options) throws Exception
    {
        final Program.End end = SmallRun.end(folder, Map.of(), args(options));

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        CliReference.assertValid("transload run", end.json());
        assertTrue(end.json().get("verified").asBoolean());
        return end.json();
    }

    private Program run(final String... options) throws IOException
    {
        return Program.startShort(folder, args(options));
    }

    private static String[] args(final String... options)
    {
        final List<String> args = new ArrayList<>(List.of("run", "--json"));
        args.addAll(Arrays.asList(SMALL));
        // The last one of an option that is given twice would be refused: a test's own deadline replaces ours.
        if (Arrays.asList(options).contains("--timeout"))
        {
            args.subList(args.size() - 2, args.size()).clear();
        }

        args.addAll(Arrays.asList(options));
        return args.toArray(String[]::new);
    }

    private static void signal(final String name, final long pid)
    {
        try
        {
            assertEquals(0, new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start().waitFor());
        }
        catch (final IOException | InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Regions of the transport appear once ranks have met. */
    private static boolean hasBegun(final Program program)
    {
        try
        {
            for (final Path left : program.left())
            {
                if (left.startsWith("/dev/shm") && left.toFile().list().length >= 4)
                {
                    return true;
                }
            }
        }
        catch (final IOException ex)
        {
            throw new java.io.UncheckedIOException(ex);
        }

        return false;
    }
}
