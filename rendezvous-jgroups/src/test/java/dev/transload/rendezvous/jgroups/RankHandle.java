/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.fail;

/** A running {@link RankProcess} as its test sees it. */
final class RankHandle
{
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(120);

    private final int rank;
    private final Process process;
    private final Writer input;
    private final List<String> output = new ArrayList<>();
    private boolean ended;

    private RankHandle(final int rank, final Process process)
    {
        this.rank = rank;
        this.process = process;
        input = process.outputWriter(StandardCharsets.UTF_8);
        final Thread reader = new Thread(this::readOutput, "output of rank " + rank);
        reader.setDaemon(true);
        reader.start();
    }

    static RankHandle start(final int rank, final int size, final String address) throws IOException
    {
        return new RankHandle(rank, new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
            "-cp", System.getProperty("java.class.path"), RankProcess.class.getName(),
            Integer.toString(rank), Integer.toString(size), address)
            .redirectError(ProcessBuilder.Redirect.DISCARD).start());
    }

    long pid()
    {
        return process.pid();
    }

    void tell(final String line) throws IOException
    {
        input.write(line + "\n");
        input.flush();
    }

    /** First line that begins so, waited for until a generous deadline. */
    synchronized String await(final String prefix) throws InterruptedException
    {
        final long untilNs = System.nanoTime() + DEADLINE_NS;
        while (true)
        {
            for (final String line : output)
            {
                if (line.startsWith(prefix))
                {
                    return line;
                }
            }
            final long leftNs = untilNs - System.nanoTime();
            if (ended || leftNs <= 0)
            {
                return fail("rank " + rank + (ended ? " ended" : " was waited for in vain") + ", said " + output +
                    " but not " + prefix + (ended ? "" : "; its threads:\n" + threadDump()));
            }
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(leftNs, TimeUnit.MILLISECONDS.toNanos(1)));
        }
    }

    synchronized List<String> output()
    {
        return List.copyOf(output);
    }

    int exitCode() throws InterruptedException
    {
        if (!process.waitFor(DEADLINE_NS, TimeUnit.NANOSECONDS))
        {
            fail("rank " + rank + " did not end");
        }
        return process.exitValue();
    }

    void kill()
    {
        process.destroyForcibly();
    }

    /** What a rank that hangs is doing. */
    private String threadDump()
    {
        try
        {
            final Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(pid()), "Thread.print").redirectErrorStream(true).start();
            return new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (final IOException ex)
        {
            return "no thread dump: " + ex.getMessage();
        }
    }

    private void readOutput()
    {
        try (BufferedReader reader =
            new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)))
        {
            for (String line = reader.readLine(); null != line; line = reader.readLine())
            {
                synchronized (this)
                {
                    output.add(line);
                    notifyAll();
                }
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("the output of rank " + rank + " cannot be read", ex);
        }
        finally
        {
            synchronized (this)
            {
                ended = true;
                notifyAll();
            }
        }
    }
}
