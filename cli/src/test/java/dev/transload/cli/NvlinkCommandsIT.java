/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the other commands say of (emulated) GPUs. */
@Timeout(300)
class NvlinkCommandsIT
{
    @TempDir
    private Path folder;

    @BeforeAll
    static void shouldHaveTheEmulator()
    {
        CudaEmulator.require();
    }

    @Test
    @Thorough("ProcessesConformanceIT of the transport has the rules, UcxCommandsIT the command")
    void shouldShowTheRulesThatAreKeptBetweenProcesses() throws Exception
    {
        final Program.End end = start("conformance", CudaEmulator.NAME, "--emulate", "--processes").end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        final List<String> lines = end.out().lines().toList();
        assertTrue(lines.get(0).matches("nvlink, CUDA emulator .*, on emulator, a process for each rank"),
            lines.get(0));
        for (final String rule : List.of("ORD-2", "SIG-1", "FAIL-1", "FAIL-2", "FAIL-3", "ORD-7", "WIN-4"))
        {
            assertTrue(lines.stream().anyMatch((line) -> line.matches(rule + " +passed .*")), rule + " in " + lines);
        }

        assertTrue(lines.get(lines.size() - 1).matches("\\d+ rules passed, 0 failed, \\d+ skipped"),
            lines.get(lines.size() - 1));
    }

    @Test
    @Thorough("what arrives in memory of devices, and staging, are measured in the gate")
    void shouldMeasureBetweenTwoDevices() throws Exception
    {
        final Program.End end = start("bench", CudaEmulator.NAME, "--emulate", "--json", "--devices", "1,0").end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        final JsonNode json = end.json();
        assertTrue(json.get("emulated").asBoolean());
        assertEquals("CUDA", json.get("memory_kind").asText());
        assertEquals("[1,0]", json.get("devices").toString());
        assertEquals("peer_copy", json.get("limit").asText());
        // Host memory has another limit, and devices have memory enough here.
        CliReference.assertKeys("bench between two processes", Set.of("results[].memcpy_GBps", "results[].of_memcpy",
            "low_latency_needs_bytes"), json);
        final Map<String, TreeSet<Integer>> sizes = new HashMap<>();
        final TreeSet<Integer> chunks = new TreeSet<>();
        for (final JsonNode result : json.get("results"))
        {
            sizes.computeIfAbsent(result.get("operation").asText(), (name) -> new TreeSet<>())
                .add(result.path("bytes").asInt());
            assertTrue(result.path("GBps").asDouble() > 0 && result.get("peer_copy_GBps").asDouble() > 0 ||
                result.path("million_per_second").asDouble() > 0 || result.at("/micros/p50").asDouble() > 0 ||
                result.path("median_micros").asDouble() > 0,
                result::toString);
            if (result.has("chunk_rows") && 14_336 == result.get("bytes").asInt())
            {
                chunks.add(result.get("chunk_rows").asInt());
            }
        }

        assertEquals(8, sizes.get("put").first());
        assertEquals(json.get("region_bytes").asInt(), sizes.get("put").last());
        assertEquals(sizes.get("put"), sizes.get("load"));
        assertEquals(new TreeSet<>(List.of(32, 64, 128, 256, 512, 1024)), chunks);
        assertEquals(new TreeSet<>(List.of("put", "putRows", "load", "atomicAdd", "put-fence-atomicAdd-seen", "chunks",
            "chunks-signal", "chunks-fence-atomicAdd")), new TreeSet<>(sizes.keySet()));
    }

    @Test
    void shouldCheckWhatArrivesInMemoryOfDevices() throws Exception
    {
        final Path page = folder.resolve("page.html");
        final Program.End end = start("bench", CudaEmulator.NAME, "--emulate", "--json", "--check", "--sizes",
            "8,4k,100000", "--iterations", "40", "--report", page.toString()).end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        final JsonNode json = end.json();
        CliReference.assertKeys("bench between ranks", Set.of(), json);
        assertTrue(json.get("checked").asBoolean());
        assertEquals("CUDA", json.get("memory_kind").asText());
        assertEquals(6, json.get("results").size());
        assertTrue(Files.readString(page).contains("\"page\":\"exchange\""));
    }

    @Test
    void shouldMeasureStagingBesideTheCopyEngine() throws Exception
    {
        final Program.End end = start(
            "bench", CudaEmulator.NAME, "--emulate", "--json", "--staging", "--devices", "1",
            "-Dtransload.scale-out.chunk=32").end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        final JsonNode json = end.json();
        CliReference.assertKeys("bench of staging", Set.of(), json);
        assertTrue(json.get("emulated").asBoolean());
        assertEquals(1, json.get("device").asInt());
        assertEquals(32 * 14336, json.get("chunk_bytes").asLong());
        assertEquals(List.of("device-to-host", "host-to-device", "both"),
            json.get("results").findValuesAsText("direction"));
        for (final JsonNode result : json.get("results"))
        {
            assertEquals(0, result.get("bytes").asLong() % json.get("chunk_bytes").asLong());
            assertTrue(result.get("GBps").asDouble() > 0 && result.get("copy_engine_GBps").asDouble() > 0,
                result::toString);
        }
    }

    @Test
    void shouldMeasureInWhatMemoryThereIs() throws Exception
    {
        final Program.End end = Program.start(folder, List.of(), Map.of(UcxHost.JVM_FLAGS,
            UcxHost.SHORT_RUN.get(UcxHost.JVM_FLAGS), "TRANSLOAD_CUDA_EMULATOR_MEMORY", String.valueOf(12 << 20)),
            "bench", CudaEmulator.NAME, "--emulate", "--json").end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertEquals(4 << 20, end.json().get("region_bytes").asInt());
        assertFalse(end.json().has("low_latency"));
        assertTrue(end.json().get("low_latency_needs_bytes").asLong() > 12 << 20);
        assertEquals("[0,1]", end.json().get("devices").toString());
    }

    @Test
    void shouldRefuseToMeasureADeviceThatIsNotThere() throws Exception
    {
        final Program.End end = start("bench", CudaEmulator.NAME, "--emulate", "--devices", "0,7").end();

        assertEquals(ExitCodes.UNAVAILABLE, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).contains("there is no device 7: this process sees 2"), end.err());
        assertEquals("", end.out());
    }

    private Program start(final String... args) throws Exception
    {
        return Program.start(folder, List.of(), UcxHost.SHORT_RUN, args);
    }
}
