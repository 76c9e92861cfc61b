/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

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
        this(List.of(), rank, livenessTimeoutMs, options);
    }

    /**
     * Under another command.
     *
     * @param prefix            that runs the rest of its line, e.g. in another network namespace.
     * @param rank              number.
     * @param livenessTimeoutMs of the transport.
     * @param options           of the transport.
     */
    RankProcess(
        final List<String> prefix, final int rank, final long livenessTimeoutMs, final Map<String, String> options)
    {
        this.rank = rank;
        final List<String> command = new ArrayList<>(prefix);
        command.add(ProcessHandle.current().info().command().orElseThrow());
        for (final String argument : ManagementFactory.getRuntimeMXBean().getInputArguments())
        {
            if (argument.startsWith("--"))
            {
                command.add(argument);
            }
        }

        command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
            RankMain.class.getName(), Integer.toString(rank), Long.toString(livenessTimeoutMs)));
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

    ByteBuffer peerInfo()
    {
        return RankMain.bytes(greeting[0]);
    }

    ByteBuffer address()
    {
        return RankMain.bytes(greeting[1]);
    }

    ByteBuffer region()
    {
        return RankMain.bytes(greeting[2]);
    }

    ByteBuffer signals()
    {
        return RankMain.bytes(greeting[3]);
    }

    String connectTo(final RankProcess peer)
    {
        return ask("connect " + peer.rank + " " + peer.greeting[1] + " " + peer.greeting[2] + " " + peer.greeting[3]);
    }

    String ask(final String line)
    {
        try
        {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
            return answer();
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
            throw new IllegalStateException(ex);
        }
    }

    long pid()
    {
        return process.pid();
    }

    @Override
    public void close()
    {
        process.destroyForcibly();
        Await.until(() -> !process.isAlive());
    }

    private String answer()
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
}
