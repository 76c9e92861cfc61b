/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressBarTest
{
    private final ByteArrayOutputStream drawn = new ByteArrayOutputStream();
    private long nowNs;
    private final PrintStream out = new PrintStream(drawn, true, StandardCharsets.UTF_8);
    private final ProgressBar bar = new ProgressBar(out, true, () -> nowNs);

    @Test
    void shouldSayHowFarItIsAndHowLongTheRestTakes()
    {
        assertEquals("[##............................] exchanging 7 of 100", drawnAt(0, "exchanging", 7, 100));
        assertEquals("[#######.......................] exchanging 25 of 100, 31 s left",
            drawnAt(10, "exchanging", 25, 100));
        assertEquals("[##############################] exchanging 100 of 100", drawnAt(50, "exchanging", 100, 100));
    }

    @Test
    void shouldSayMinutesOfALongRest()
    {
        drawnAt(0, "exchanging", 1, 1000);

        assertEquals("[" + ".".repeat(30) + "] exchanging 10 of 1000, 17 min left",
            drawnAt(10, "exchanging", 10, 1000));
    }

    @Test
    void shouldBeginAnewWithEachStage()
    {
        drawnAt(0, "exchanging", 1, 2);

        assertEquals("[###############...............] verifying 1 of 2", drawnAt(100, "verifying", 1, 2));
    }

    @Test
    void shouldNotCountASingleStep()
    {
        assertEquals("[..............................] opening", drawnAt(0, "opening", 0, 1));
    }

    @Test
    void shouldWriteLinesWhereThereIsNoTerminal()
    {
        final ProgressBar lines = new ProgressBar(out, false, () -> nowNs);
        nowNs = TimeUnit.SECONDS.toNanos(30);
        lines.remind();
        lines.step("put of 8 bytes", 0, 1);
        nowNs = TimeUnit.SECONDS.toNanos(60);
        lines.remind();
        lines.step("exchanging", 0, 100);
        nowNs = TimeUnit.SECONDS.toNanos(90);
        lines.step("exchanging", 25, 100);
        lines.remind();
        lines.close();

        assertEquals(String.format("after 30 s: starting ranks%nafter 60 s: put of 8 bytes%n" +
            "after 90 s: exchanging 25 of 100, 91 s left%n"), drawn.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldBelieveAConsoleThatSaysWhetherItIsATerminal()
    {
        assertFalse(ProgressBar.isTerminal(NewConsole.class, new NewConsole(false)));
        assertTrue(ProgressBar.isTerminal(NewConsole.class, new NewConsole(true)));
        assertTrue(ProgressBar.isTerminal(Object.class, new Object()), "one of before JDK 22");
        assertFalse(ProgressBar.isTerminal(Object.class, null));
    }

    /**
     * As that of JDK 22 and later.
     *
     * @param isTerminal what it says.
     */
    public record NewConsole(boolean isTerminal)
    {
    }

    private String drawnAt(final long seconds, final String stage, final long done, final long all)
    {
        nowNs = TimeUnit.SECONDS.toNanos(seconds);
        drawn.reset();
        bar.step(stage, done, all);
        return drawn.toString(StandardCharsets.UTF_8).replace("\r\u001b[K", "");
    }
}
