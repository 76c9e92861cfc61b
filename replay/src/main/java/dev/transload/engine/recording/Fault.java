/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

/**
 * Fault of a rank and its time. A fault happens only after the previous fault of the recording.
 *
 * @param rank        rank affected by the fault.
 * @param what        {@code kill}, {@code pause} or {@code resume}.
 * @param afterCycles number of schedule cycles after the previous fault; null if {@code afterCalls} is set.
 * @param afterCalls  number of calls that the rank has completed; null if {@code afterCycles} is set.
 */
public record Fault(int rank, String what, Integer afterCycles, Integer afterCalls)
{
    /** Fault that ends the rank, as SIGKILL does. */
    public static final String KILL = "kill";

    /** Fault that pauses the rank, as SIGSTOP does. */
    public static final String PAUSE = "pause";

    /** Fault that resumes a paused rank, as SIGCONT does. */
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
