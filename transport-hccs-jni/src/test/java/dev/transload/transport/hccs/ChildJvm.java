/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Another process, since a process opens one runtime for good. What it says on both its streams is read by lines. */
public final class ChildJvm implements AutoCloseable
{
    private static final long DEADLINE_SECONDS = 120;

    private final Process process;
    private final BufferedReader output;
    private final List<String> lines = new ArrayList<>();

    /**
     * Start it.
     *
     * @param settings of the emulator, without what their names begin with.
     * @param main     class.
     * @param args     of it.
     */
    public ChildJvm(final Map<String, String> settings, final Class<?> main, final String... args)
    {
        final List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter((flag) -> flag.startsWith("--add-exports") || flag.startsWith("--enable-native-access"))
            .forEach(command::add);
        command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
            main.getName()));
        command.addAll(List.of(args));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        settings.forEach((name, value) -> builder.environment().put(Emulator.SETTINGS + name, value));
        try
        {
            process = builder.start();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * The next line that begins so.
     *
     * @param start of the line.
     * @return what follows.
     */
    public String read(final String start)
    {
        try
        {
            for (String line = output.readLine(); null != line; line = output.readLine())
            {
                lines.add(line);
                if (line.startsWith(start))
                {
                    return line.substring(start.length());
                }
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        throw new AssertionError("no line begins with " + start + " in " + lines);
    }

    /**
     * Tell it something.
     *
     * @param line without its end.
     */
    public void write(final String line)
    {
        try
        {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Let it end by itself: its input is closed.
     *
     * @return all lines that it said, and its exit code behind them.
     */
    public List<String> finish()
    {
        try
        {
            process.getOutputStream().close();
            for (String line = output.readLine(); null != line; line = output.readLine())
            {
                lines.add(line);
            }

            if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS))
            {
                throw new AssertionError("the process did not end: " + lines);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError("interrupted", ex);
        }

        lines.add("exit " + process.exitValue());
        return lines;
    }

    /** As kill -9; it is gone when this returns. */
    void kill()
    {
        try
        {
            process.destroyForcibly().waitFor();
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError("interrupted", ex);
        }
    }

    @Override
    public void close()
    {
        process.destroyForcibly();
    }
}
