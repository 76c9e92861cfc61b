/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import java.io.Console;
import java.io.PrintStream;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Says how far the slowest is, and how long the rest of the stage takes at the rate so far: by one line on the
 * terminal's standard error, or, where that is no terminal, by a line each half minute.
 */
public final class ProgressBar implements Progress, AutoCloseable
{
    private static final int WIDTH = 30;
    private static final long REDRAW_NS = 50_000_000;
    private static final String ERASE = "\r\u001b[K";
    private static final long SECONDS_PER_MINUTE = 60;

    /** Before that, the rate says little. */
    private static final long SETTLED_NS = 2_000_000_000;

    /** Between lines where there is no terminal. */
    private static final long REMIND_MS = 30_000;

    private final PrintStream out;
    private final boolean isTerminal;
    private final LongSupplier clock;
    private final long openedNs;
    private Timer reminders;
    private String stage = "starting ranks";
    private long done;
    private long all = 1;
    private long beginNs;
    private long drawnNs = Long.MIN_VALUE;

    /** On standard error, which may be a terminal. */
    ProgressBar(final PrintStream out, final boolean isTerminal, final LongSupplier clock)
    {
        this.out = out;
        this.isTerminal = isTerminal;
        this.clock = clock;
        this.openedNs = clock.getAsLong();
    }

    /**
     * A bar on the terminal.
     *
     * @return bar; without a terminal it writes a line now and then.
     */
    public static ProgressBar onTerminal()
    {
        final boolean isDrawing =
            isTerminal(Console.class, System.console()) && !"dumb".equals(System.getenv("TERM"));
        final ProgressBar bar = new ProgressBar(System.err, isDrawing, System::nanoTime);
        if (!isDrawing)
        {
            bar.reminders = new Timer("transload-progress", true);
            bar.reminders.schedule(new TimerTask()
            {
                @Override
                public void run()
                {
                    bar.remind();
                }
            }, REMIND_MS, REMIND_MS);
        }

        return bar;
    }

    /**
     * Before JDK 22 there was a console on a terminal only; since then there may be one anywhere, which says whether it
     * is on a terminal.
     */
    static <T> boolean isTerminal(final Class<T> type, final T console)
    {
        try
        {
            return null != console && (boolean)type.getMethod("isTerminal").invoke(console);
        }
        catch (final NoSuchMethodException ex)
        {
            return true;
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public synchronized void step(final String name, final long doneSteps, final long allSteps)
    {
        final long nowNs = clock.getAsLong();
        if (!stage.equals(name))
        {
            stage = name;
            beginNs = nowNs;
        }

        done = doneSteps;
        all = allSteps;
        if (isTerminal && (drawnNs == Long.MIN_VALUE || nowNs - drawnNs >= REDRAW_NS))
        {
            drawnNs = nowNs;
            final int full = (int)(WIDTH * Math.min(done, all) / Math.max(1, all));
            out.print(ERASE + "[" + "#".repeat(full) + ".".repeat(WIDTH - full) + "] " + text(nowNs));
            out.flush();
        }
    }

    /** For readers of a log: what is being done, though nothing may have happened since the last line. */
    synchronized void remind()
    {
        final long nowNs = clock.getAsLong();
        out.println("after " + TimeUnit.NANOSECONDS.toSeconds(nowNs - openedNs) + " s: " + text(nowNs));
    }

    private String text(final long nowNs)
    {
        return stage + (all > 1 ? " " + done + " of " + all + left(done, all, nowNs - beginNs) : "");
    }

    private static String left(final long done, final long all, final long elapsedNs)
    {
        if (done < 1 || done >= all || elapsedNs < SETTLED_NS)
        {
            return "";
        }

        final long seconds = TimeUnit.NANOSECONDS.toSeconds((long)((double)elapsedNs / done * (all - done))) + 1;
        return seconds < 2 * SECONDS_PER_MINUTE ? ", " + seconds + " s left" :
            ", " + (seconds + SECONDS_PER_MINUTE / 2) / SECONDS_PER_MINUTE + " min left";
    }

    @Override
    public synchronized void note(final String line)
    {
        out.println((isTerminal ? ERASE : "") + line);
        drawnNs = Long.MIN_VALUE;
    }

    @Override
    public synchronized void close()
    {
        if (isTerminal)
        {
            out.print(ERASE);
            out.flush();
        }

        if (null != reminders)
        {
            reminders.cancel();
        }
    }
}
