/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two nodes of two ranks over pairs of transports, with a device transport between the nodes: rows in memory of either
 * emulated device or of the host, direct or staged. What they deliver is what Aeron delivers, byte for byte.
 */
@Timeout(120)
class TransportPairsTest
{
    private static final int RANKS = 4;
    private static final List<String> RUN = List.of("run", "--in-process", "--nodes", "2", "--ranks-per-node",
        "2", "--tokens", "24", "--hidden", "256", "--experts", "20", "--topk", "4", "--seed", "11", "--timeout", "60s",
        "--iterations", "2", "-Dtransload.kernels.mode=scalar");

    @TempDir
    private static Path reference;

    @TempDir
    private Path folder;

    /** How a run ended, and what it said on standard error. */
    private record End(int exitCode, String said)
    {
    }

    private static End run(final String... options)
    {
        final List<String> line = new ArrayList<>(RUN);
        line.addAll(List.of(options));
        final PrintStream before = System.err;
        final ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try
        {
            final int exitCode = Main.run(line.toArray(String[]::new), false);
            return new End(exitCode, said.toString(StandardCharsets.UTF_8).strip());
        }
        finally
        {
            System.setErr(before);
        }
    }

    @BeforeAll
    static void shouldHaveEmulatorsAndReference()
    {
        CudaEmulator.require();
        AclEmulator.require();
        final End end = run("--scale-out", "aeron", "--scale-up", "aeron", "--output", reference.toString());
        assertEquals(ExitCodes.DONE, end.exitCode(), end.said());
    }

    @ParameterizedTest
    @CsvSource({
        // between nodes, within a node, where rows live
        "nvlink, nvlink, CUDA", "nvlink, nvlink, HOST", "nvlink, aeron, HOST",
        "hccs, hccs, ASCEND", "hccs, hccs, HOST", "hccs, aeron, HOST",
        "nvlink, hccs, ASCEND", "nvlink, hccs, HOST", "hccs, nvlink, CUDA", "hccs, nvlink, HOST" })
    void shouldDeliverTheBytesOfAeron(final String scaleOut, final String scaleUp, final String kind) throws Exception
    {
        final Path output = folder.resolve("output");
        final End end = run("--emulate", "--scale-out", scaleOut, "--scale-up", scaleUp,
            "-Dtransload.payload.kind=" + kind, "--output", output.toString());

        assertEquals(ExitCodes.DONE, end.exitCode(), end.said());
        for (int rank = 0; rank < RANKS; rank++)
        {
            final String name = String.format("rank-%04d.safetensors", rank);
            assertEquals(-1, Files.mismatch(reference.resolve(name), output.resolve(name)), name);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "nvlink | aeron | CUDA | transport aeron cannot move CUDA memory (transload.payload.kind): it moves [HOST]",
        "hccs | aeron | ASCEND | transport aeron cannot move ASCEND memory (transload.payload.kind): it moves [HOST]",
        "nvlink | hccs | CUDA | transport hccs cannot move CUDA memory (transload.payload.kind): it moves [",
        "hccs | nvlink | ASCEND | transport nvlink cannot move ASCEND memory (transload.payload.kind): it moves [" })
    void shouldRefuseRowsThatTheTransportOfTheNodeCannotMove(
        final String scaleOut, final String scaleUp, final String kind, final String sentence)
    {
        final End end = run(
            "--emulate", "--scale-out", scaleOut, "--scale-up", scaleUp, "-Dtransload.payload.kind=" + kind);

        assertEquals(ExitCodes.BAD_INPUT, end.exitCode(), end.said());
        assertTrue(end.said().startsWith("transload: ") && end.said().contains(sentence), end.said());
        assertEquals(1, end.said().lines().count(), end.said());
    }
}
