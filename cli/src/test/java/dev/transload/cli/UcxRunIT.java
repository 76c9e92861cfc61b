/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The main job over UCX: it delivers what the same job over Aeron delivers, byte for byte. */
@Timeout(300)
class UcxRunIT
{
    private static final String[] SMALL = {
        "--tokens", "24", "--hidden", "256", "--experts", "20", "--topk", "4", "--seed", "11", "--timeout", "120s",
        "-Dtransload.kernels.mode=scalar" };

    /** Folders of what Aeron delivered, by the options of the world. */
    private static final Map<List<String>, Path> REFERENCES = new HashMap<>();

    @TempDir
    private static Path referenceFolder;

    @TempDir
    private Path folder;

    @BeforeAll
    static void shouldHaveUcx()
    {
        UcxHost.require();
    }

    @ParameterizedTest(name = "{0} x {1} {2}, {3} channels, {4} and {5} over ''{6}''")
    @CsvSource({
        "2, 2, bf16, 1, ucx, aeron, 'posix,self'", "2, 2, bf16, 1, aeron, ucx, 'sysv,self'",
        "2, 2, bf16, 1, ucx, ucx, 'posix,self'", "2, 2, bf16, 1, ucx, ucx, 'tcp,self'", "2, 2, bf16, 1, ucx, ucx, ''",
        "3, 1, fp8, 3, ucx, ucx, 'sysv,self'", "1, 3, fp8, 3, ucx, ucx, 'tcp,self'" })
    void shouldDeliverTheBytesOfAeron(
        final int nodes,
        final int ranksPerNode,
        final String dtype,
        final int channels,
        final String scaleOut,
        final String scaleUp,
        final String transports) throws Exception
    {
        final List<String> world = List.of("--nodes", String.valueOf(nodes), "--ranks-per-node",
            String.valueOf(ranksPerNode), "--dtype", dtype, "--channels", String.valueOf(channels));
        final Path output = folder.resolve("output");
        final JsonNode json = verified(folder, UcxHost.variables(transports), world, "--output", output.toString(),
            "--scale-out", scaleOut, "--scale-up", scaleUp);

        assertEquals(scaleOut, json.at("/transports/scale_out/name").asText());
        assertEquals(scaleUp, json.at("/transports/scale_up/name").asText());
        assertSameBytes(reference(world), output, nodes * ranksPerNode);
    }

    /** As over a network card without atomics: signals are puts of totals. */
    @ParameterizedTest
    @ValueSource(strings = { "bf16", "fp8" })
    void shouldDeliverTheBytesOfAeronWithoutAtomics(final String dtype) throws Exception
    {
        final List<String> world =
            List.of("--nodes", "2", "--ranks-per-node", "2", "--dtype", dtype, "--channels", "2");
        final Path output = folder.resolve("output");
        verified(folder, UcxHost.variables("tcp,self"), world, "--output", output.toString(), "--scale-out", "ucx",
            "--scale-up", "ucx", "-Dtransload.ucx.atomics=none", "--iterations", "3");
        assertSameBytes(reference(world), output, 4);
    }

    private static void assertSameBytes(final Path expected, final Path actual, final int ranks) throws IOException
    {
        for (int rank = 0; rank < ranks; rank++)
        {
            final String name = String.format("rank-%04d.safetensors", rank);
            assertEquals(-1, Files.mismatch(expected.resolve(name), actual.resolve(name)), name);
        }
    }

    /** UCX talks on standard output where it is told to, here about everything. */
    @Test
    void shouldKeepWhatUcxPrintsOutOfStandardOutput() throws Exception
    {
        final Map<String, String> variables = UcxHost.variables("posix,self");
        variables.putAll(Map.of("UCX_LOG_LEVEL", "debug", "UCX_LOG_FILE", "stdout"));
        final List<String> args = args(List.of("--nodes", "1", "--ranks-per-node", "2"), "--scale-up", "ucx");
        args.add("--verbose");
        final Program.End run = Program.script(Files.createDirectories(folder.resolve("run")), List.of(), variables,
            args.toArray(String[]::new)).end();
        assertTrue(pureJson(run).get("verified").asBoolean());
        assertTrue(run.err().lines().anyMatch((line) -> line.startsWith("rank 1: [") && line.contains(" UCX ")),
            run.err());

        final Program.End found = Program.script(Files.createDirectories(folder.resolve("transports")), List.of(),
            variables, "transports", "--json").end();
        assertTrue(pureJson(found).get("transports").size() >= 2);
        assertTrue(found.err().lines().anyMatch((line) -> line.startsWith("[") && line.contains(" UCX ")),
            found.err());
    }

    private static Path reference(final List<String> world) throws Exception
    {
        if (!REFERENCES.containsKey(world))
        {
            final Path place = Files.createDirectories(referenceFolder.resolve(String.valueOf(REFERENCES.size())));
            final Path output = place.resolve("output");
            verified(place, Map.of(), world, "--in-process", "--output", output.toString());
            REFERENCES.put(world, output);
        }

        return REFERENCES.get(world);
    }

    private static JsonNode verified(
        final Path place, final Map<String, String> variables, final List<String> world, final String... options)
        throws Exception
    {
        final JsonNode json = pureJson(SmallRun.end(place, variables, args(world, options).toArray(String[]::new)));
        assertTrue(json.get("verified").asBoolean());
        return json;
    }

    /** A reader of JSON would overlook what comes behind. */
    private static JsonNode pureJson(final Program.End end) throws IOException
    {
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.out().startsWith("{") && end.out().endsWith("\n}\n"), end.out());
        assertEquals(1, end.out().lines().filter("}"::equals).count(), end.out());
        return end.json();
    }

    private static List<String> args(final List<String> world, final String... options)
    {
        final List<String> args = new ArrayList<>(List.of("run", "--json"));
        args.addAll(Arrays.asList(SMALL));
        args.addAll(world);
        args.addAll(Arrays.asList(options));
        return args;
    }
}
