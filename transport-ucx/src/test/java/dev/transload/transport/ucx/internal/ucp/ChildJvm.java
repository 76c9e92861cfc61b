/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A JVM with this one's class path, for what can happen only once in a process. */
public final class ChildJvm
{
    private static final long DEADLINE_SECONDS = 300;

    private final File out;
    private final File err;
    private final List<String> flags = new ArrayList<>();
    private final Map<String, String> variables = new HashMap<>();

    /**
     * With this one's flags.
     *
     * @param directory for what it prints.
     */
    public ChildJvm(final Path directory)
    {
        out = directory.resolve("out").toFile();
        err = directory.resolve("err").toFile();
    }

    /** One more flag of the JVM. */
    public ChildJvm flag(final String flag)
    {
        flags.add(flag);
        return this;
    }

    /** A variable of its environment, which has none of UCX otherwise. */
    public ChildJvm variable(final String name, final String value)
    {
        variables.put(name, value);
        return this;
    }

    /** Lines of its standard output, native ones too; it must end with 0 in time. */
    public List<String> run(final Class<?> main, final String... arguments)
    {
        final List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        for (final String argument : ManagementFactory.getRuntimeMXBean().getInputArguments())
        {
            if (argument.startsWith("--"))
            {
                command.add(argument);
            }
        }

        command.addAll(flags);
        command.addAll(List.of("-Xmx64m", "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(Arrays.asList(arguments));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out).redirectError(err);
        builder.environment().keySet().removeIf((name) -> name.startsWith("UCX_"));
        builder.environment().putAll(variables);
        try
        {
            final Process process = builder.start();
            try
            {
                assertTrue(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS), this::errors);
                assertEquals(0, process.exitValue(), this::errors);
            }
            finally
            {
                process.destroyForcibly();
            }

            return Files.readAllLines(out.toPath());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    /** What it printed on standard error. */
    public String errors()
    {
        try
        {
            return Files.readString(err.toPath());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
