/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Thorough;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command of the documentation. */
@Thorough("a process loads PyTorch once more; MoeLayerTest has the same layer")
@Timeout(180)
class DjlExampleIT
{
    @TempDir
    Path folder;

    @Test
    void shouldRunByOneCommand() throws IOException, InterruptedException
    {
        Torch.assumeThere();
        final Path log = folder.resolve("output");
        final ProcessBuilder builder = new ProcessBuilder("../scripts/djl-example", "2", "101")
            .redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        final int code = builder.start().waitFor();
        final String output = Files.readString(log, StandardCharsets.UTF_8);
        assertEquals(0, code, output);
        assertTrue(output.contains("2 ranks, 101 tokens each in normal mode and 32 in low latency: errors"), output);
    }
}
