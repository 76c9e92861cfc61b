/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import dev.transload.spi.TransportRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranks that a real {@code mpirun} of Open MPI starts, each by the launcher script. */
@Timeout(300)
@Thorough("a launcher of its own; LaunchedRanksIT and LaunchersIT start ranks by the same variables")
class MpirunIT
{
    private static final List<String> MPIRUN =
        List.of("mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "4");
    private static final List<String> SMALL = List.of("run", "--json", "--tokens", "24", "--hidden", "128",
        "--experts", "20", "--topk", "4", "-Dtransload.kernels.mode=scalar");

    @TempDir
    private Path folder;

    @BeforeAll
    static void shouldHaveMpirun() throws InterruptedException
    {
        try
        {
            final int exitCode = new ProcessBuilder("mpirun", "--version").redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
            assertEquals(0, exitCode, "mpirun --version");
        }
        catch (final IOException ex)
        {
            LoudSkip.because("there is no mpirun here (apt-get install openmpi-bin): " + ex.getMessage());
        }
    }

    @Test
    void shouldMakeOneNodeOfLocalRanks() throws Exception
    {
        final JsonNode json = verified(mpirun("--timeout", "120s"));

        assertEquals(1, json.at("/world/nodes").asInt());
        assertEquals(4, json.at("/world/ranks_per_node").asInt());
        assertEquals(4, json.get("ranks").size());
    }

    /** All but those of devices, which this machine may lack. */
    private static Stream<String> transports()
    {
        return TransportRegistry.discover().providers().stream().map((registered) -> registered.provider().name())
            .filter((name) -> !Set.of(CudaEmulator.NAME, "hccs").contains(name));
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldShapeTheWorldAsAsked(final String transport) throws Exception
    {
        final JsonNode json = verified(mpirun(
            "--timeout", "120s", "--nodes", "2", "--scale-out", transport, "--scale-up", transport));

        assertEquals(transport, json.at("/transports/scale_out/name").asText());
        assertEquals(2, json.at("/world/nodes").asInt());
        assertEquals(2, json.at("/world/ranks_per_node").asInt());
        assertTrue(json.at("/dispatch/scale_out_bytes").asLong() > 0);
    }

    @Test
    void shouldMeasureATransportBetweenAllRanks() throws Exception
    {
        final Program.End end = Program.script(folder, MPIRUN, Map.of(), "bench", "aeron", "--json", "--sizes", "4k",
            "--iterations", "20", "--check", "--timeout", "120s").end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertEquals(4, end.json().get("ranks").size());
        assertEquals(2, end.json().get("results").size());
        assertEquals(1, end.out().lines().filter("{"::equals).count(), end.out());
    }

    @Test
    void shouldEndWithOneWhereARowIsSpoiled() throws Exception
    {
        final Program.End end = mpirun("--timeout", "120s", "--inject", "corrupt-row").end();

        assertEquals(ExitCodes.FAILED, end.exitCode(), end.err());
        assertFalse(end.json().get("verified").asBoolean());
        assertEquals(1, end.err().lines().filter((line) -> line.startsWith("transload: verification failed: rank "))
            .count(), end.err());
    }

    @Test
    void shouldNameARankThatIsKilled() throws Exception
    {
        final Program program = mpirun("--timeout", "30s", "--iterations", "1000000");
        Waiting.until("four ranks exchange", () -> 4 == exchanging(program).size());
        final List<ProcessHandle> ranks = exchanging(program);
        final ProcessHandle victim =
            ranks.stream().filter((rank) -> RankProcesses.isRank(rank, 2)).findFirst().orElseThrow();
        victim.destroyForcibly();
        final Program.End end = program.end();

        assertEquals(ExitCodes.PEER_FAILED, end.exitCode(), end.err());
        assertTrue(end.err().contains("transload: rank 2 (pid " + victim.pid() + ") was ended by SIGKILL"),
            end.err());
        assertEquals("", end.out());
        Waiting.until("all ranks end", () -> ranks.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void shouldKeepWhatNativeCodePrintsOutOfStandardOutput() throws Exception
    {
        final Program program = Program.script(folder, MPIRUN, LauncherScriptIT.CHATTER, args("--timeout", "120s"));
        final Program.End end = program.end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.json().get("verified").asBoolean());
        assertTrue(LauncherScriptIT.isChatter(end.err()), end.err());
    }

    private Program mpirun(final String... options) throws IOException
    {
        return Program.script(folder, MPIRUN, Map.of(), args(options));
    }

    private static String[] args(final String... options)
    {
        final List<String> args = new ArrayList<>(SMALL);
        args.addAll(Arrays.asList(options));
        return args.toArray(String[]::new);
    }

    private static JsonNode verified(final Program program) throws Exception
    {
        final Program.End end = program.end();
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.json().get("verified").asBoolean());
        return end.json();
    }

    /** JVMs of ranks that have opened the memory that their peers map, so that they have met. */
    private static List<ProcessHandle> exchanging(final Program program)
    {
        return program.ranks().stream().filter((rank) -> mapsShared(rank.pid())).toList();
    }

    private static boolean mapsShared(final long pid)
    {
        try (Stream<String> maps = Files.lines(Path.of("/proc/" + pid + "/maps")))
        {
            return maps.anyMatch((line) -> line.contains("/dev/shm/transload-"));
        }
        catch (final IOException | UncheckedIOException ex)
        {
            System.err.println("process " + pid + " is gone or another user's: " + ex.getMessage());
            return false;
        }
    }
}
