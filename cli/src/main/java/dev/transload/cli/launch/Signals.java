/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import java.util.Map;
import java.util.Set;

/** How a process ended, in words. */
final class Signals
{
    /** What the JVM and shells add to a signal's number to make an exit code. */
    private static final int BASE = 128;

    private static final Map<Integer, String> NAMES = Map.of(1, "SIGHUP", 2, "SIGINT", 3, "SIGQUIT", 4, "SIGILL",
        6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

    private static final Set<Integer> CRASHES = Set.of(4, 6, 7, 8, 11);

    private Signals()
    {
    }

    static boolean isSignal(final int exitCode)
    {
        return exitCode > BASE;
    }

    /** Raised by native code on itself: an assertion, or an access to memory that is none. */
    static boolean isCrash(final int exitCode)
    {
        return CRASHES.contains(exitCode - BASE);
    }

    static String describe(final int exitCode)
    {
        return isSignal(exitCode) ?
            "was ended by " + NAMES.getOrDefault(exitCode - BASE, "signal " + (exitCode - BASE)) :
            "ended with exit code " + exitCode + " and said nothing";
    }
}
