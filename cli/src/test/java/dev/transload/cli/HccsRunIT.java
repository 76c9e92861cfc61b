/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
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

/** The main job with rows in (emulated) Ascend memory: it delivers what it delivers over Aeron, byte for byte. */
@Timeout(300)
class HccsRunIT
{
    private static final String[] SMALL = {
        "--tokens", "24", "--hidden", "256", "--experts", "20", "--topk", "4", "--seed", "11", "--timeout", "120s",
        "-Dtransload.kernels.mode=scalar" };

    /** The least rings that a chunk of two rows and credit by two allow; 32 times as many tokens as a ring's slots. */
    private static final String[] LEAST_RINGS = {
        "--tokens", "96", "-Dtransload.channels=1", "-Dtransload.placement=ring",
        "-Dtransload.scale-up.chunk=2", "-Dtransload.scale-up.credit-batch=2", "-Dtransload.scale-up.ring=3",
        "-Dtransload.scale-out.chunk=2", "-Dtransload.scale-out.credit-batch=2", "-Dtransload.scale-out.ring=3" };

    private static final String DEVICES = "TRANSLOAD_ACL_EMULATOR_DEVICES";

    /** Folders of what Aeron delivered, by the options of the world. */
    private static final Map<List<String>, Path> REFERENCES = new HashMap<>();

    @TempDir
    private static Path referenceFolder;

    @TempDir
    private Path folder;

    private final Map<String, String> variables = UcxHost.variables("posix,self");

    @BeforeAll
    static void shouldHaveTheEmulator()
    {
        AclEmulator.require();
    }

    @ParameterizedTest(name = "{0} x {1} {2} {3}, {4}, scale-out {5}, {6} iterations")
    @CsvSource({
        "1, 2, bf16, rank-major, direct, aeron, 3, ", "2, 2, fp8, expert-major, ring, ucx, 1, ",
        "2, 4, bf16, rank-major, direct, aeron, 1, --in-process",
        "2, 4, fp8, expert-major, ring, aeron, 1, --in-process"
    })
    void shouldDeliverTheBytesOfAeron(
        final int nodes,
        final int ranksPerNode,
        final String dtype,
        final String order,
        final String placement,
        final String scaleOut,
        final int iterations,
        final String flag) throws Exception
    {
        if (UcxHost.NAME.equals(scaleOut))
        {
            UcxHost.require();
        }

        final List<String> world = List.of("--nodes", String.valueOf(nodes), "--ranks-per-node",
            String.valueOf(ranksPerNode), "--dtype", dtype, "-Dtransload.dispatch.output=" + order);
        final List<String> options = new ArrayList<>(List.of("--scale-out", scaleOut, "-Dtransload.placement=" +
            placement, "--iterations", String.valueOf(iterations)));
        if (null != flag)
        {
            options.add(flag);
        }

        final JsonNode json = assertDeliversWhatAeronDoes(world, options);
        assertEquals("ASCEND", json.get("payload").asText(), json::toString);
        assertEquals(order, json.get("output").asText());
    }

    /** The roles of the Ascend design on threads of their own, through rings that are as small as they may be. */
    @Test
    @Thorough("roles by one thread pass it in the gate; MultiThreadedEngineTest has roles on threads")
    void shouldPassABatchThroughTheLeastRingsByRolesOnThreadsOfTheirOwn() throws Exception
    {
        final List<String> world = new ArrayList<>(List.of("--nodes", "2", "--ranks-per-node", "2", "--dtype", "fp8"));
        world.addAll(Arrays.asList(LEAST_RINGS));
        assertDeliversWhatAeronDoes(world, List.of("--in-process", "--scale-out", "aeron",
            "-Dtransload.threads.roles=2,1,2,1,1"));
    }

    /** Of whole nodes, each rank with a device of its own. */
    @Test
    void shouldPassABatchThroughTheLeastRings() throws Exception
    {
        passThroughTheLeastRings(4, "fp8");
    }

    @Test
    @Thorough("nodes of four ranks do so in the gate")
    void shouldPassABatchThroughTheLeastRingsOfWholeServers() throws Exception
    {
        passThroughTheLeastRings(8, "bf16");
    }

    private void passThroughTheLeastRings(final int ranksPerNode, final String dtype) throws Exception
    {
        variables.put(DEVICES, String.valueOf(ranksPerNode));
        final List<String> world = new ArrayList<>(
            List.of("--nodes", "2", "--ranks-per-node", String.valueOf(ranksPerNode), "--dtype", dtype));
        world.addAll(Arrays.asList(LEAST_RINGS));
        assertDeliversWhatAeronDoes(world, List.of("--in-process", "--scale-out", "aeron"));
    }

    @Test
    void shouldVerifyRepeatedRouting() throws Exception
    {
        verified(folder, List.of("--nodes", "1", "--ranks-per-node", "2"), "--in-process", "--scale-up",
            AclEmulator.NAME, "--emulate", "--cached", "--iterations", "3");
    }

    @Test
    void shouldFailAndNameTheRowThatIsSpoiled() throws Exception
    {
        final Program.End end = end(folder, List.of("--ranks-per-node", "2", "--nodes", "1"), "--in-process",
            "--scale-up", AclEmulator.NAME, "--emulate", "--inject", "swap-rows");

        assertEquals(ExitCodes.FAILED, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).matches(
            "transload: verification failed: rank \\d, row \\d+ \\(from rank \\d, token \\d+\\).*"), end.err());
    }

    private JsonNode assertDeliversWhatAeronDoes(final List<String> world, final List<String> options)
        throws Exception
    {
        final Path output = folder.resolve("output");
        final List<String> all = new ArrayList<>(options);
        all.addAll(List.of("--output", output.toString(), "--scale-up", AclEmulator.NAME, "--emulate"));
        final JsonNode json = verified(folder, world, all.toArray(String[]::new));
        final JsonNode scaleUp = json.at("/transports/scale_up");
        assertEquals(AclEmulator.NAME, scaleUp.get("name").asText());
        assertTrue(scaleUp.get("emulated").asBoolean(), scaleUp::toString);
        final Path reference = reference(world);
        for (int rank = 0; rank < json.get("ranks").size(); rank++)
        {
            final String name = String.format("rank-%04d.safetensors", rank);
            assertEquals(-1, Files.mismatch(reference.resolve(name), output.resolve(name)), name);
        }

        return json;
    }

    private Path reference(final List<String> world) throws Exception
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

    private JsonNode verified(final Path place, final List<String> world, final String... options)
        throws Exception
    {
        final Program.End end = end(place, world, options);
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.json().get("verified").asBoolean());
        return end.json();
    }

    private Program.End end(final Path place, final List<String> world, final String... options)
        throws Exception
    {
        final List<String> args = new ArrayList<>(List.of("run", "--json"));
        // What the world says again is picocli's to refuse, so that its tokens stand alone.
        args.addAll(world.contains("--tokens") ? Arrays.asList(SMALL).subList(2, SMALL.length) : Arrays.asList(SMALL));
        args.addAll(world);
        args.addAll(Arrays.asList(options));
        // How many devices there are is a variable of the process.
        return variables.containsKey(DEVICES) ?
            Program.start(place, List.of(), variables, args.toArray(String[]::new)).end() :
            SmallRun.end(place, variables, args.toArray(String[]::new));
    }
}
