/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

/**
 * What happens to a rank, and when: once the one before has happened.
 *
 * @param rank        whose.
 * @param what        {@code kill}, {@code pause}, or {@code resume}.
 * @param afterCycles cycles of the schedule after the fault before; null where {@code afterCalls} says it.
 * @param afterCalls  calls that the rank has ended; null where {@code afterCycles} says it.
 */
public record Fault(int rank, String what, Integer afterCycles, Integer afterCalls)
{
    /** As SIGKILL does. */
    public static final String KILL = "kill";

    /** As SIGSTOP does. */
    public static final String PAUSE = "pause";

    /** As SIGCONT does. */
    public static final String RESUME = "resume";

    /** The most cycles of a world. */
    private static final int MAX_CYCLES = 1_000_000;

    void check(final int ranks)
    {
        Checks.range("faults[].rank", rank, 0, ranks - 1);
        Checks.among("faults[].what", what, KILL, PAUSE, RESUME);
        Checks.require(null == afterCycles ^ null == afterCalls, "faults[]", "has after_cycles and after_calls, or " +
            "neither", "one of them, and null for the other");
        Checks.range("faults[].after_cycles", null == afterCycles ? 0 : afterCycles, 0, MAX_CYCLES);
        Checks.range("faults[].after_calls", null == afterCalls ? 0 : afterCalls, 0, MAX_CYCLES);
    }
}
