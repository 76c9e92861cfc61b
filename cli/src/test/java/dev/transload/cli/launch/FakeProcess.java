/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** A rank's process that is none: a test says what it does. It obeys signals, unless it is stopped. */
final class FakeProcess extends Process
{
    static final int FIRST_PID = 1000;

    private final int rank;
    private final PipedInputStream stdout = new PipedInputStream();
    private final PipedOutputStream stdoutEnd;
    private final InputStream stderr;
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final CompletableFuture<Integer> exit = new CompletableFuture<>();
    private final AtomicLong processorNs = new AtomicLong();
    private final boolean isStopped;

    private FakeProcess(final int rank, final boolean isStopped, final String errorLines)
    {
        this.rank = rank;
        this.isStopped = isStopped;
        this.stderr = new ByteArrayInputStream(errorLines.getBytes(StandardCharsets.UTF_8));
        try
        {
            this.stdoutEnd = new PipedOutputStream(stdout);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    static FakeProcess waiting(final int rank)
    {
        return new FakeProcess(rank, false, "");
    }

    static FakeProcess stopped(final int rank)
    {
        return new FakeProcess(rank, true, "");
    }

    static FakeProcess dead(final int rank, final int exitCode, final String errorLines)
    {
        final FakeProcess process = new FakeProcess(rank, false, errorLines);
        process.end(exitCode);
        return process;
    }

    /** Through which the rank tells. */
    RankEvents events()
    {
        return new RankEvents(new PrintStream(stdoutEnd, true, StandardCharsets.UTF_8));
    }

    /** What the launcher wrote to it. */
    String told()
    {
        return told.toString(StandardCharsets.UTF_8);
    }

    void end(final int exitCode)
    {
        exit.complete(exitCode);
        try
        {
            stdoutEnd.close();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public OutputStream getOutputStream()
    {
        return new OutputStream()
        {
            @Override
            public void write(final int value) throws IOException
            {
                if (exit.isDone())
                {
                    throw new IOException("Broken pipe");
                }

                told.write(value);
            }
        };
    }

    @Override
    public InputStream getInputStream()
    {
        return stdout;
    }

    @Override
    public InputStream getErrorStream()
    {
        return stderr;
    }

    @Override
    public int waitFor()
    {
        return exit.join();
    }

    @Override
    public boolean waitFor(final long timeout, final TimeUnit unit) throws InterruptedException
    {
        try
        {
            exit.get(timeout, unit);
            return true;
        }
        catch (final TimeoutException ex)
        {
            return false;
        }
        catch (final java.util.concurrent.ExecutionException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public int exitValue()
    {
        return exit.join();
    }

    @Override
    public boolean isAlive()
    {
        return !exit.isDone();
    }

    @Override
    public long pid()
    {
        return FIRST_PID + rank;
    }

    @Override
    public void destroy()
    {
        if (!isStopped)
        {
            end(128 + 15);
        }
    }

    @Override
    public Process destroyForcibly()
    {
        end(128 + 9);
        return this;
    }

    /** Only the processor time is asked for; a process that is not stopped always needs some. */
    @Override
    public ProcessHandle.Info info()
    {
        return new ProcessHandle.Info()
        {
            @Override
            public Optional<String> command()
            {
                return Optional.empty();
            }

            @Override
            public Optional<String> commandLine()
            {
                return Optional.empty();
            }

            @Override
            public Optional<String[]> arguments()
            {
                return Optional.empty();
            }

            @Override
            public Optional<Instant> startInstant()
            {
                return Optional.empty();
            }

            @Override
            public Optional<Duration> totalCpuDuration()
            {
                return Optional.of(Duration.ofNanos(isStopped ? 0 : processorNs.incrementAndGet()));
            }

            @Override
            public Optional<String> user()
            {
                return Optional.empty();
            }
        };
    }
}
