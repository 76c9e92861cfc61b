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

/** The main job with rows in (emulated) GPU memory: it delivers what it delivers over Aeron, byte for byte. */
@Timeout(300)
class NvlinkRunIT
{
    /** The emulator has two devices, so that of four ranks two share one. */
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
    static void shouldHaveTheEmulator()
    {
        CudaEmulator.require();
    }

    @ParameterizedTest(name = "{0} x {1} {2} {3}, {4}, scale-out {5}, {6} iterations")
    @CsvSource({
        "1, 2, bf16, rank-major, direct, aeron, 3", "1, 2, fp8, expert-major, ring, aeron, 1",
        "1, 4, bf16, expert-major, ring, aeron, 1", "1, 4, fp8, rank-major, direct, aeron, 3",
        "2, 2, bf16, expert-major, direct, aeron, 1", "2, 2, fp8, rank-major, ring, ucx, 2" })
    void shouldDeliverTheBytesOfAeron(
        final int nodes,
        final int ranksPerNode,
        final String dtype,
        final String order,
        final String placement,
        final String scaleOut,
        final int iterations) throws Exception
    {
        if (UcxHost.NAME.equals(scaleOut))
        {
            UcxHost.require();
        }

        final List<String> world = List.of("--nodes", String.valueOf(nodes), "--ranks-per-node",
            String.valueOf(ranksPerNode), "--dtype", dtype, "-Dtransload.dispatch.output=" + order);
        final Path output = folder.resolve("output");
        final JsonNode json = verified(folder, world, "--output", output.toString(), "--scale-out", scaleOut,
            "--scale-up", CudaEmulator.NAME, "--emulate", "-Dtransload.placement=" + placement, "--iterations",
            String.valueOf(iterations));

        final JsonNode scaleUp = json.at("/transports/scale_up");
        assertEquals(CudaEmulator.NAME, scaleUp.get("name").asText());
        assertTrue(scaleUp.get("emulated").asBoolean(), scaleUp::toString);
        // One node has no scale-out stage of its own.
        assertEquals(1 == nodes ? CudaEmulator.NAME : scaleOut, json.at("/transports/scale_out/name").asText());
        assertEquals(order, json.get("output").asText());
        final Path reference = reference(world);
        for (int rank = 0; rank < nodes * ranksPerNode; rank++)
        {
            final String name = String.format("rank-%04d.safetensors", rank);
            assertEquals(-1, Files.mismatch(reference.resolve(name), output.resolve(name)), name);
        }
    }

    @ParameterizedTest
    @CsvSource({ "bf16, rank-major", "fp8, expert-major" })
    void shouldVerifyRepeatedRouting(final String dtype, final String order) throws Exception
    {
        verified(folder, List.of("--nodes", "1", "--ranks-per-node", "2"), "--dtype", dtype, "--scale-up",
            CudaEmulator.NAME, "--emulate", "-Dtransload.placement=direct", "-Dtransload.dispatch.output=" + order,
            "--cached", "--iterations", "4");
    }

    @ParameterizedTest
    @CsvSource({ "1, 2, bf16, rank-major, direct", "1, 2, fp8, expert-major, ring", "2, 2, bf16, rank-major, direct" })
    void shouldTakeTopkOnTheDevice(
        final int nodes, final int ranksPerNode, final String dtype, final String order, final String placement)
        throws Exception
    {
        final List<String> world = List.of("--nodes", String.valueOf(nodes), "--ranks-per-node",
            String.valueOf(ranksPerNode), "--dtype", dtype, "-Dtransload.dispatch.output=" + order);
        final Path output = folder.resolve("output");
        verified(folder, world, "--output", output.toString(), "--scale-out", "aeron", "--scale-up",
            CudaEmulator.NAME, "--emulate", "-Dtransload.placement=" + placement, "--topk-on", "device",
            "--iterations", "3");
        final Path reference = reference(world);
        for (int rank = 0; rank < nodes * ranksPerNode; rank++)
        {
            final String name = String.format("rank-%04d.safetensors", rank);
            assertEquals(-1, Files.mismatch(reference.resolve(name), output.resolve(name)), name);
        }
    }

    @Test
    void shouldRefuseTopkOnADeviceWhereThereIsNone() throws Exception
    {
        final Program.End end = end(folder, List.of("--ranks-per-node", "1", "--nodes", "2"), "--in-process",
            "--scale-out", "aeron", "--scale-up", "aeron", "--topk-on", "device");

        assertEquals(ExitCodes.BAD_INPUT, end.exitCode(), end.err());
        assertTrue(end.sentences().get(0).contains("--topk-on device is not allowed: rows are in HOST memory"),
            end.err());
    }

    @ParameterizedTest
    @ValueSource(strings = { "corrupt-row", "swap-rows", "drop-row" })
    void shouldFailAndNameTheRowThatIsSpoiled(final String injection) throws Exception
    {
        final Program.End end = end(folder, List.of("--ranks-per-node", "2", "--nodes", "1"), "--in-process",
            "--scale-up", CudaEmulator.NAME, "--emulate", "--inject", injection);

        assertEquals(ExitCodes.FAILED, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).matches(
            "transload: verification failed: rank \\d, row \\d+ \\(from rank \\d, token \\d+\\).*"), end.err());
    }

    private static Path reference(final List<String> world) throws Exception
    {
        if (!REFERENCES.containsKey(world))
        {
            final Path place = Files.createDirectories(referenceFolder.resolve(String.valueOf(REFERENCES.size())));
            final Path output = place.resolve("output");
            final JsonNode json = verified(place, world, "--in-process", "--output", output.toString(), "--scale-out",
                "aeron", "--scale-up", "aeron");
            assertEquals("aeron", json.at("/transports/scale_up/name").asText());
            REFERENCES.put(world, output);
        }

        return REFERENCES.get(world);
    }

    private static JsonNode verified(final Path place, final List<String> world, final String... options)
        throws Exception
    {
        final Program.End end = end(place, world, options);
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.json().get("verified").asBoolean());
        return end.json();
    }

    private static Program.End end(final Path place, final List<String> world, final String... options)
        throws Exception
    {
        final List<String> args = new ArrayList<>(List.of("run", "--json"));
        args.addAll(Arrays.asList(SMALL));
        args.addAll(world);
        args.addAll(Arrays.asList(options));
        return SmallRun.end(place, UcxHost.variables("posix,self"), args.toArray(String[]::new));
    }
}
