/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Python package with arrays of NumPy, and its wheel. */
@Timeout(250)
class PythonIT
{
    @TempDir
    private Path folder;

    @Test
    void shouldDispatchAndCombineArraysOfNumpy() throws IOException, InterruptedException
    {
        PythonPrograms.test(PythonPrograms.pythonWith("numpy"), "test_numpy", folder.resolve("log"));
    }

    /** Without PyTorch, which has no GPU here. */
    @Test
    void shouldDispatchAndCombineTensorsOfAnEmulatedGpu() throws IOException, InterruptedException
    {
        assumeTrue(
            Files.exists(PythonPrograms.SOURCES.resolve(
                Path.of("..", "transport-nvlink-jni", "target", "emulator", "libcuda_emulator.so"))),
            "there is no emulator: the build found no C++ compiler");
        PythonPrograms.test(PythonPrograms.pythonWith("numpy"), "test_emulated", folder.resolve("log"));
    }

    @Test
    void shouldListEachPublicFunctionInTheDocument() throws IOException, InterruptedException
    {
        PythonPrograms.test(PythonPrograms.pythonWith("numpy"), "test_documents", folder.resolve("log"));
    }

    @Test
    void shouldRunTheExampleWordForWordFromAWheelThatWasInstalledOffline() throws IOException, InterruptedException
    {
        final String python = PythonPrograms.pythonWith("numpy");
        final Path log = folder.resolve("log");
        final Path project = PythonPrograms.SOURCES.getParent();
        final String wheel = PythonPrograms.run(List.of("scripts/python-wheel", "--built",
            PythonPrograms.BUILT.toString(), "--output", folder.toString()), project, log, Map.of("PYTHON", python));
        assertHasPackageOnly(Path.of(wheel.strip()));
        // NumPy is that of the machine.
        PythonPrograms.run(
            List.of(python, "-m", "venv", "--system-site-packages", "fresh"), folder, log, Map.of());
        final String own = folder.resolve("fresh").resolve("bin").resolve("python").toString();
        PythonPrograms.run(
            List.of(own, "-m", "pip", "install", "--no-index", "--quiet", wheel.strip()), folder, log,
            Map.of("PIP_DISABLE_PIP_VERSION_CHECK", "1", "PIP_ROOT_USER_ACTION", "ignore"));
        final String readme = Files.readString(PythonPrograms.SOURCES.resolve("README.md"));
        final Matcher example = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL).matcher(readme);
        assertTrue(example.find(), readme);
        Files.writeString(folder.resolve("example.py"), example.group(1));
        final String said = PythonPrograms.run(List.of(own, "example.py"), folder, log, Map.of());
        assertEquals("[128, 0, 0, 0, 0, 128, 0, 0] 1.0\n", said);
        assertTrue(readme.contains("It prints `" + said.strip() + "`."), readme);
        assertEquals(1, Pattern.compile("/").splitAsStream(wheel).filter((part) ->
            part.matches("transload-[0-9.a-z]+-py3-none-manylinux2014_(x86_64|aarch64)\\.whl\n")).count(), wheel);
    }

    /** No example, and nothing of the tests. */
    private static void assertHasPackageOnly(final Path wheel) throws IOException
    {
        try (ZipFile files = new ZipFile(wheel.toFile());
            Stream<Path> sources = Files.list(PythonPrograms.SOURCES.resolve("src").resolve("transload")))
        {
            final Set<String> sourceNames = sources.map((source) -> "transload/" + source.getFileName())
                .filter((name) -> !name.endsWith("__pycache__")).collect(Collectors.toSet());
            final Set<String> packed = files.stream().map(ZipEntry::getName)
                .filter((name) -> !name.matches("transload(/lib|-[0-9a-z.]+\\.dist-info)/.*"))
                .collect(Collectors.toSet());
            assertEquals(sourceNames, packed);
        }
    }
}
