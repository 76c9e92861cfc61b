/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The emulated driver keeps the rules that the other tests rely on: {@code src/emulator/test} has them. */
class EmulatorRulesTest
{
    private static final Path BUILT = Path.of("target", "emulator", "rules").toAbsolutePath();

    @Test
    void shouldKeepTheRulesOfTheDriver() throws IOException, InterruptedException
    {
        final Path program = BUILT.resolve("rules");
        Assumptions.assumeTrue(Files.exists(program), "the emulator was not built: there is no C or C++ compiler");

        final Process process =
            new ProcessBuilder(program.toString(), BUILT.resolve("libcuda_rules.so").toString())
                .redirectErrorStream(true)
                .start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertTrue(output.contains(" cases run, 0 failed, 0 not for this library"), output);
    }
}
