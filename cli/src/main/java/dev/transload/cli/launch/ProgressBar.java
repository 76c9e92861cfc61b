/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import java.io.Console;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * One line on the terminal's standard error that says how far the slowest is, and how long the rest of the stage takes
 * at the rate so far; nothing where there is no terminal.
 */
public final class ProgressBar implements Progress, AutoCloseable
{
    private static final int WIDTH = 30;
    private static final long REDRAW_NS = 50_000_000;
    private static final String ERASE = "\r\u001b[K";
    private static final long SECONDS_PER_MINUTE = 60;

    /** Before that, the rate says little. */
    private static final long SETTLED_NS = 2_000_000_000;

    private final PrintStream terminal;
    private final LongSupplier clock;
    private String stage = "";
    private long beginNs;
    private long drawnNs = Long.MIN_VALUE;

    /** Of a terminal, null for none. */
    ProgressBar(final PrintStream terminal, final LongSupplier clock)
    {
        this.terminal = terminal;
        this.clock = clock;
    }

    /**
     * A bar on the terminal.
     *
     * @return bar, one that draws nothing where there is no terminal.
     */
    public static ProgressBar onTerminal()
    {
        final boolean isDrawing =
            isTerminal(Console.class, System.console()) && !"dumb".equals(System.getenv("TERM"));
        return new ProgressBar(isDrawing ? System.err : null, System::nanoTime);
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
    public synchronized void step(final String name, final long done, final long all)
    {
        final long nowNs = clock.getAsLong();
        if (!stage.equals(name))
        {
            stage = name;
            beginNs = nowNs;
        }

        if (null != terminal && (drawnNs == Long.MIN_VALUE || nowNs - drawnNs >= REDRAW_NS))
        {
            drawnNs = nowNs;
            final int full = (int)(WIDTH * Math.min(done, all) / Math.max(1, all));
            terminal.print(ERASE + "[" + "#".repeat(full) + ".".repeat(WIDTH - full) + "] " + stage +
                (all > 1 ? " " + done + " of " + all + left(done, all, nowNs - beginNs) : ""));
            terminal.flush();
        }
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
        System.err.println((null == terminal ? "" : ERASE) + line);
        drawnNs = Long.MIN_VALUE;
    }

    @Override
    public void close()
    {
        if (null != terminal)
        {
            terminal.print(ERASE);
            terminal.flush();
        }
    }
}
