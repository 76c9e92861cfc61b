/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One rank's process. Its standard input stays open for as long as it may live. */
final class RankChild
{
    private static final Logger LOG = LoggerFactory.getLogger(RankChild.class);

    /** Said by every JVM that has the vector module, to no use. */
    private static final String INCUBATOR_NOTICE = "WARNING: Using incubator modules";

    private static final long END_SECONDS = 5;

    /** Asks a rank, behind its plan, for what it has: see {@link RankEvents#partial}. */
    static final String ASK = "partial";

    /** Has a rank meet the others in a later world, whose number follows. */
    static final String JOIN = "join ";

    /** Lets a rank end that has reported: none will be started again. */
    static final String END = "end";

    /** Of the lines that are no events, for the report of a rank that crashed. */
    private static final int LAST_LINES = 20;

    /** For the rest of standard error, which a child of the process may still hold open. */
    private static final long REST_MS = 1000;

    private final int rank;
    private final Process process;
    private final OutputStream stdin;
    private final ArrayDeque<String> lastLines = new ArrayDeque<>();

    /** What a child's threads tell the supervisor. */
    record News(RankChild child, RankEvents.Event event, int exitCode)
    {
        /** Not of a child: a signal asks this program to end. */
        static News signal(final int exitCode)
        {
            return new News(null, null, exitCode);
        }

        boolean isSignal()
        {
            return null == child;
        }

        boolean isExit()
        {
            return null == event;
        }
    }

    RankChild(final int rank, final Process process)
    {
        this.rank = rank;
        this.process = process;
        this.stdin = process.getOutputStream();
    }

    int rank()
    {
        return rank;
    }

    long pid()
    {
        return process.pid();
    }

    String describe()
    {
        return "rank " + rank + " (pid " + process.pid() + ")";
    }

    /** How it is lost if its process is there. */
    String describeSilence()
    {
        return describe() + " did not answer";
    }

    /** Oldest first. */
    List<String> lastLines()
    {
        synchronized (lastLines)
        {
            return List.copyOf(lastLines);
        }
    }

    /** Processor time so far; empty where the system does not tell. */
    Optional<Duration> processorTime()
    {
        return process.info().totalCpuDuration();
    }

    boolean isAlive()
    {
        return process.isAlive();
    }

    /** Of a process that is dead already, the exit is the news, and not that its pipe is broken. */
    void tell(final String line)
    {
        try
        {
            stdin.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            stdin.flush();
        }
        catch (final IOException ex)
        {
            LOG.debug("{} cannot be told anything", describe(), ex);
        }
    }

    /** Hand events to a queue, other lines to a chatter; after all events, the exit. */
    void listen(final BlockingQueue<News> queue, final Consumer<String> chatter)
    {
        final Thread stderr =
            daemon("stderr", () -> readLines(process.getErrorStream(), (line) -> say(chatter, line)));
        daemon("stdout", () ->
        {
            try
            {
                final RankEvents.Reader reader = new RankEvents.Reader();
                readLines(process.getInputStream(), (line) ->
                {
                    if (RankEvents.Reader.isEvent(line))
                    {
                        reader.take(line).ifPresent((event) -> queue.add(new News(this, event, 0)));
                    }
                    else
                    {
                        say(chatter, line);
                    }
                });
            }
            finally
            {
                final int exitCode = exitCode();
                awaitRest(stderr);
                queue.add(new News(this, null, exitCode));
            }
        });
    }

    void terminate()
    {
        process.destroy();
    }

    void kill()
    {
        process.destroyForcibly();
    }

    /** Waits a moment for a process that was killed. */
    void awaitEnd()
    {
        try
        {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS))
            {
                LOG.warn("{} does not end", describe());
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void say(final Consumer<String> chatter, final String line)
    {
        if (!line.isBlank() && !line.startsWith(INCUBATOR_NOTICE))
        {
            synchronized (lastLines)
            {
                if (LAST_LINES == lastLines.size())
                {
                    lastLines.removeFirst();
                }

                lastLines.addLast(line);
            }

            chatter.accept("rank " + rank + ": " + line);
        }
    }

    private static void awaitRest(final Thread stream)
    {
        try
        {
            stream.join(REST_MS);
        }
        catch (final InterruptedException ex)
        {
            LOG.debug("nobody has a reason to interrupt this thread", ex);
        }
    }

    private int exitCode()
    {
        while (true)
        {
            try
            {
                return process.waitFor();
            }
            catch (final InterruptedException ex)
            {
                LOG.debug("nobody has a reason to interrupt this thread", ex);
            }
        }
    }

    private void readLines(final InputStream in, final Consumer<String> lines)
    {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)))
        {
            for (String line = reader.readLine(); null != line; line = reader.readLine())
            {
                lines.accept(line);
            }
        }
        catch (final IOException ex)
        {
            // A killed process's pipe may break instead of end.
            LOG.debug("a stream of rank {} broke", rank, ex);
        }
    }

    private Thread daemon(final String stream, final Runnable task)
    {
        final Thread thread = new Thread(task, "transload-rank-" + rank + "-" + stream);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
