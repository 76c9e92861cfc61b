/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A rank in a JVM of its own, as its parent sees it. */
final class RankProcess implements AutoCloseable
{
    private final int rank;
    private final Process process;
    private final BufferedReader out;
    private final String[] greeting;

    RankProcess(final int rank, final long livenessTimeoutMs, final Map<String, String> options)
    {
        this.rank = rank;
        final List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        for (final String argument : ManagementFactory.getRuntimeMXBean().getInputArguments())
        {
            if (argument.startsWith("--"))
            {
                command.add(argument);
            }
        }

        command.addAll(List.of("-Xmx64m", "-cp", System.getProperty("java.class.path"), RankMain.class.getName(),
            Integer.toString(rank), Long.toString(livenessTimeoutMs)));
        options.forEach((key, value) -> command.add(key + "=" + value));
        try
        {
            process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        greeting = answer().split(" ");
    }

    int rank()
    {
        return rank;
    }

    ByteBuffer address()
    {
        return RankMain.bytes(greeting[0]);
    }

    /** Memory that its transport allocated. */
    ByteBuffer allocated()
    {
        return RankMain.bytes(greeting[1]);
    }

    /** Memory of its own that it registered. */
    ByteBuffer registered()
    {
        return RankMain.bytes(greeting[2]);
    }

    ByteBuffer signals()
    {
        return RankMain.bytes(greeting[3]);
    }

    /** Answer to one line. */
    String ask(final String line)
    {
        tell(line);
        return answer();
    }

    /** One line, whose answer is read later. */
    void tell(final String line)
    {
        try
        {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    String answer()
    {
        try
        {
            final String line = out.readLine();
            if (null == line)
            {
                throw new IllegalStateException("rank " + rank + " ended without an answer");
            }

            return line;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    void signal(final String name)
    {
        try
        {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start().waitFor();
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

    @Override
    public void close()
    {
        process.destroyForcibly();
        Await.until(() -> !process.isAlive());
    }
}
