/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.gate.Thorough;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The script that breaks runs on a machine with GPUs, here on emulated ones. */
@Timeout(900)
@Thorough("NvlinkFailureIT and LowLatencyFailureIT kill and stop ranks with emulated GPUs; this has the script do so")
class GpuFaultsIT
{
    private static final Path SCRIPT = Path.of("..", "scripts", "gpu", "faults.sh").toAbsolutePath().normalize();

    @TempDir
    private Path folder;

    @Test
    void shouldSeeEachFaultNamedInTimeAndTheDevicesUsableAfterwards() throws Exception
    {
        CudaEmulator.require();
        final Path report = folder.resolve("faults.json");
        final Path said = folder.resolve("said");
        final ProcessBuilder builder = new ProcessBuilder(SCRIPT.toString(), "--emulate", "2", report.toString())
            .redirectErrorStream(true).redirectOutput(said.toFile());
        builder.environment().keySet().removeIf(Program::tellsAPlace);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(UcxHost.SHORT_RUN);
        builder.environment().put("CASE_SECONDS", "120");
        // Their program is built behind this module: its own test plays them.
        builder.environment().put("STEP_ROUNDS", "0");
        final Process script = builder.start();
        try
        {
            assertTrue(script.waitFor(800, TimeUnit.SECONDS), () -> "it must end by itself: " + said);
        }
        finally
        {
            script.descendants().forEach(ProcessHandle::destroyForcibly);
            script.destroyForcibly();
        }

        assertEquals(0, script.exitValue(), Files.readString(said));
        final JsonNode json = new ObjectMapper().readTree(report.toFile());
        assertTrue(json.get("emulated").asBoolean());
        final List<String> passed = new ArrayList<>();
        for (final JsonNode one : json.get("cases"))
        {
            assertTrue(one.get("passed").asBoolean(), one::toString);
            passed.add(one.get("case").asText());
        }

        assertEquals(List.of("before", "rank-1-KILL-direct-0", "after-kill", "rank-1-KILL-ring-0",
            "rank-1-STOP-direct-0", "rank-1-KILL-low-latency-0", "after-low-latency",
            "rank-1-STOP-low-latency-0", "memory-short", "device-full", "wrong-device", "stale-handle",
            "two-ranks-one-device", "after-all"), passed);
    }
}
