/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.transload.gate.Thorough;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The example on a standalone cluster: a master and two workers on loopback. */
@Thorough("the master, the workers, the driver and the executors are JVMs; SparkRanksIT has tasks in one")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class SparkClusterIT
{
    private static final int UNAVAILABLE = 3;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = { "3.5", "4" })
    void shouldInferOverTwoExecutors(final String version) throws Exception
    {
        final String output = run(version);
        assertTrue(output.contains("4000 of 4000 tokens (attempt 0, 4 ranks on 1 nodes), largest"), output);
    }

    @ParameterizedTest
    @ValueSource(strings = { "3.5", "4" })
    void shouldRepeatTheStageInANewWorldWhenAnExecutorIsKilled(final String version) throws Exception
    {
        final String output = run(version, "lose-executor");
        assertTrue(output.contains("4000 of 4000 tokens (attempt 1, 4 ranks on 1 nodes), largest"), output);
    }

    private String run(final String... arguments) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of("../scripts/spark-example"));
        command.addAll(List.of(arguments));
        final Path log = folder.resolve("output");
        final ProcessBuilder builder =
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        final int code = builder.start().waitFor();
        final String output = Files.readString(log, StandardCharsets.UTF_8);
        assumeTrue(UNAVAILABLE != code, output);
        assertEquals(0, code, output);
        return output;
    }
}
