/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.gate.Thorough;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Python package with tensors of PyTorch, with more ranks, and for long. */
@Timeout(250)
@Thorough("PythonIT runs the same scenarios with two nodes of two ranks as threads")
class PythonThoroughIT
{
    @TempDir
    private Path folder;

    @Test
    void shouldDispatchAndCombineTensorsOfPytorch() throws IOException, InterruptedException
    {
        PythonPrograms.test(PythonPrograms.pythonWith("torch"), "test_torch", folder.resolve("log"));
    }

    @Test
    void shouldRunLayersOfVllmAndSglang() throws IOException, InterruptedException
    {
        PythonPrograms.test(PythonPrograms.pythonWith("torch"), "test_frameworks", folder.resolve("log"));
    }

    @Test
    void shouldGoOnForLongAndWithMoreRanks() throws IOException, InterruptedException
    {
        PythonPrograms.test(PythonPrograms.pythonWith("numpy"), "test_long", folder.resolve("log"));
    }
}
