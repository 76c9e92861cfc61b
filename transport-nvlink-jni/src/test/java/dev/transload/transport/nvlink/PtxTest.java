/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.gate.Thorough;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The PTX text that is shipped is what its sources give. */
class PtxTest
{
    /** Of the script: there is no compiler, or one of another release. */
    private static final int CANNOT_TELL = 3;

    @Test
    @Thorough("compiles all kernels by nvcc, which most machines that run the gate do not have")
    void shouldShipThePtxOfTheSources() throws IOException, InterruptedException
    {
        final Process script = new ProcessBuilder("sh", Path.of("..", "scripts", "gpu", "ptx.sh").toString(), "--check")
            .redirectErrorStream(true)
            .start();
        final String said = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        final int result = script.waitFor();
        if (CANNOT_TELL == result)
        {
            System.err.println("PtxTest is SKIPPED, the PTX is not compared with its sources: " + said);
        }

        Assumptions.assumeTrue(CANNOT_TELL != result, said);
        assertEquals(0, result, said);
    }
}
