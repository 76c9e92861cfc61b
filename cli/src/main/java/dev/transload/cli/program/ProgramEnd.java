/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import dev.transload.cli.outcome.Outcome;

/** How this program ends: with one sentence on standard error, whether a command or a signal ends it. */
public final class ProgramEnd
{
    /** Runs if a signal ends this program; the JVM's exit code is 128 and the signal's number then. */
    private static final Thread INTERRUPTED =
        new Thread(() -> System.err.println("transload: interrupted by a signal before the end"),
            "transload-interrupted");

    private ProgramEnd()
    {
    }

    /** Print a sentence if a signal ends this program from now on. */
    public static void tellOfSignals()
    {
        Runtime.getRuntime().addShutdownHook(INTERRUPTED);
    }

    /**
     * Print one sentence; none while a signal ends this program, since what fails then is not the cause of its end.
     *
     * @param outcome   to tell.
     * @param isVerbose whether to print the stack trace, too.
     * @return its exit code.
     */
    public static int end(final Outcome outcome, final boolean isVerbose)
    {
        if (isInterrupted())
        {
            return outcome.exitCode();
        }

        if (isVerbose && !outcome.trace().isEmpty())
        {
            System.err.print(outcome.trace());
        }

        System.err.println("transload: " + outcome.sentence());
        return outcome.exitCode();
    }

    /**
     * From now on a signal is too late to be told of, unless it came already.
     *
     * @return true if a signal ends this program.
     */
    public static boolean isInterrupted()
    {
        try
        {
            Runtime.getRuntime().removeShutdownHook(INTERRUPTED);
            return false;
        }
        catch (final IllegalStateException ex)
        {
            // The JVM is ending, so that the hook runs already.
            return true;
        }
    }
}
