/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Thorough;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ranks that are killed and stopped during device steps, on the emulator: each signal at each moment once. */
@Timeout(600)
@Thorough("27 processes with devices; CudaStepsConformanceTest stops the kernels of ranks in one process")
class StepsFaultsIT
{
    private static final Path EMULATOR =
        Path.of("..", "transport-nvlink-jni", "target", "emulator", "libcuda_emulator.so");

    @TempDir
    private Path folder;

    @Test
    void shouldGoOnWithoutRanksThatAreKilledOrStopped() throws Exception
    {
        final Path said = folder.resolve("said");
        assertEquals(0, run(said, "rounds=8", "timeout-ms=3000"), () -> read(said));
        assertTrue(read(said).contains("{\"rounds\": 8, \"ranks\": 3, "), () -> read(said));
    }

    @Test
    void shouldSayWhichRoundsFail() throws Exception
    {
        // Ranks that nobody stops lose each other, since no call ends so soon.
        final Path said = folder.resolve("said");
        assertTrue(run(said, "rounds=1", "timeout-ms=1") > 0, () -> read(said));
        assertTrue(read(said).contains("round 1, NONE"), () -> read(said));
    }

    private static int run(final Path said, final String... arguments) throws Exception
    {
        Assumptions.assumeTrue(Files.exists(EMULATOR), "the emulator was not built: there is no C compiler");
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp",
            System.getProperty("java.class.path"), StepsFaults.class.getName(),
            "library=" + EMULATOR.toAbsolutePath().normalize()));
        command.addAll(List.of(arguments));
        final Process process =
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        try
        {
            assertTrue(process.waitFor(500, TimeUnit.SECONDS), () -> "it does not end: " + read(said));
            return process.exitValue();
        }
        finally
        {
            process.destroyForcibly();
        }
    }

    private static String read(final Path file)
    {
        try
        {
            return Files.readString(file);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
