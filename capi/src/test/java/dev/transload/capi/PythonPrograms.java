/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Programs in Python on what this build left in {@code target/transload}. */
final class PythonPrograms
{
    static final Path BUILT = Path.of("target", "transload").toAbsolutePath();
    static final Path SOURCES = Path.of("..", "python").toAbsolutePath().normalize();
    private static final Path LIBRARY =
        BUILT.resolve("native").resolve("linux-" + System.getProperty("os.arch")).resolve("libtransload.so");

    private PythonPrograms()
    {
    }

    /** The first Python that has a package; without one, or without the library, the test is skipped. */
    static String pythonWith(final String name) throws IOException, InterruptedException
    {
        assumeTrue(Files.exists(LIBRARY), "there is no libtransload.so: the build found no C compiler");
        for (final String python : List.of("python3", "/usr/bin/python3"))
        {
            if (runs(python, name))
            {
                return python;
            }
        }

        return abort("no Python has " + name + ": install python3-" + name);
    }

    private static boolean runs(final String python, final String name) throws InterruptedException
    {
        try
        {
            final Process process = new ProcessBuilder(python, "-c", "import " + name).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            return process.waitFor(60, TimeUnit.SECONDS) && 0 == process.exitValue();
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    /** Run a module of tests, of which none may be skipped. */
    static void test(final String python, final String module, final Path log)
        throws IOException, InterruptedException
    {
        final String said = run(List.of(python, "-W", "error::ResourceWarning", "-m", "unittest", "-v", module),
            SOURCES.resolve("tests"), log, Map.of("TRANSLOAD_LIBRARY", LIBRARY.toString(),
                "PYTHONPATH", SOURCES.resolve("src").toString(), "PYTHONDONTWRITEBYTECODE", "1"));
        assertTrue(said.endsWith("\nOK\n"), said);
    }

    static String run(
        final List<String> command, final Path folder, final Path log, final Map<String, String> variables)
        throws IOException, InterruptedException
    {
        final ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("TRANSLOAD_JVM_FLAGS", "-Xmx64m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        builder.environment().putAll(variables);
        final Process process =
            builder.directory(folder.toFile()).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try
        {
            final boolean hasEnded = process.waitFor(200, TimeUnit.SECONDS);
            final String said = Files.readString(log, StandardCharsets.UTF_8);
            assertTrue(hasEnded, command + " does not end: " + said);
            assertEquals(0, process.exitValue(), command + ": " + said);
            return said;
        }
        finally
        {
            process.destroyForcibly();
        }
    }
}
