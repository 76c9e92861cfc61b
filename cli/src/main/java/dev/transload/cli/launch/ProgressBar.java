/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import java.io.PrintStream;

/** One line on the terminal's standard error that says how far the slowest is; nothing where there is no terminal. */
public final class ProgressBar implements Progress, AutoCloseable
{
    private static final int WIDTH = 30;
    private static final long REDRAW_NS = 50_000_000;
    private static final String ERASE = "\r\u001b[K";

    private final PrintStream terminal;
    private long drawnNs = Long.MIN_VALUE;

    private ProgressBar(final PrintStream terminal)
    {
        this.terminal = terminal;
    }

    /**
     * A bar on the terminal.
     *
     * @return bar, one that draws nothing where there is no terminal.
     */
    public static ProgressBar onTerminal()
    {
        return new ProgressBar(null == System.console() || "dumb".equals(System.getenv("TERM")) ? null : System.err);
    }

    @Override
    public synchronized void step(final String stage, final long done, final long all)
    {
        final long nowNs = System.nanoTime();
        if (null != terminal && (drawnNs == Long.MIN_VALUE || nowNs - drawnNs >= REDRAW_NS))
        {
            drawnNs = nowNs;
            final int full = (int)(WIDTH * Math.min(done, all) / Math.max(1, all));
            terminal.print(ERASE + "[" + "#".repeat(full) + ".".repeat(WIDTH - full) + "] " + stage);
            terminal.flush();
        }
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
