/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example as a user runs it, on emulated GPUs. */
class PyTorchIT
{
    private static final Path EMULATOR =
        Path.of("..", "transport-nvlink-jni", "target", "emulator", "libcuda_emulator.so");
    private static final int UNAVAILABLE = 3;

    @TempDir
    private Path folder;

    @BeforeAll
    static void shouldHavePython() throws Exception
    {
        Assumptions.assumeTrue(Files.exists(EMULATOR), "the emulator was not built: there is no C compiler");
        Assumptions.assumeTrue(hasNumpy(), "there is no python3 with NumPy");
    }

    private static boolean hasNumpy() throws InterruptedException
    {
        try
        {
            return 0 == new ProcessBuilder("python3", "-c", "import numpy").start().waitFor();
        }
        catch (final IOException ex)
        {
            // There is no such program.
            return false;
        }
    }

    @Test
    void shouldDispatchAndCombineTensorsOfAnotherProcess() throws Exception
    {
        for (final String ranks : List.of("2", "4"))
        {
            final String said = run(0, "--emulate", "--ranks", ranks, "--tokens", "24", "--hidden", "256");
            assertTrue(said.contains(ranks + " ranks on emulated GPUs (host twin)"), said);
            assertTrue(said.contains("equal to the reference bit for bit"), said);
        }
    }

    @Test
    void shouldSayThatThereIsNoGpu() throws Exception
    {
        final String said = run(UNAVAILABLE);
        assertTrue(said.startsWith("exchange.py: PyTorch "), said);
        assertEquals(1, said.lines().count(), said);
    }

    private String run(final int exitCode, final String... args) throws Exception
    {
        final Path log = folder.resolve("log");
        final List<String> command = new ArrayList<>(List.of("python3", "pytorch/exchange.py"));
        command.addAll(List.of(args));
        final ProcessBuilder builder =
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        // Whatever GPUs the machine has: PyTorch must not find one.
        builder.environment().put("CUDA_VISIBLE_DEVICES", "");
        final Process process = builder.start();
        final boolean isEnded = process.waitFor(2, TimeUnit.MINUTES);
        process.destroyForcibly();
        final String said = Files.readString(log, StandardCharsets.UTF_8);
        assertTrue(isEnded, () -> "it did not end: " + said);
        assertEquals(exitCode, process.exitValue(), said);
        return said;
    }
}
