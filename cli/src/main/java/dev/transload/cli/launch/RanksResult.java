/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.program.Interrupts;
import java.util.List;

/**
 * How the ranks ended.
 *
 * @param outcome       of all together.
 * @param reports       by rank; empty where another process has them, or where the world failed. Of a world that
 *                      went on without some ranks, null for these.
 * @param isInterrupted whether a signal ended them: reports are of the last checkpoints then, null of ranks without
 *                      one.
 * @param restarts      of ranks that were lost, in the order in which they were made.
 */
public record RanksResult(Outcome outcome, List<JsonNode> reports, boolean isInterrupted, List<Restart> restarts)
{
    /**
     * A lost rank whose process was started again.
     *
     * @param rank    number.
     * @param cause   how its last process ended.
     * @param seconds from the first news of the loss until the next world was formed; not a number if none was.
     */
    public record Restart(int rank, String cause, double seconds)
    {
    }

    /** By a signal. */
    static RanksResult interrupted(
        final int exitCode, final List<JsonNode> reports, final List<Restart> restarts)
    {
        return new RanksResult(
            Outcome.of(exitCode, "interrupted by " + Interrupts.name(exitCode)), reports, true, restarts);
    }

    /** Ended by themselves. */
    public RanksResult(final Outcome outcome, final List<JsonNode> reports)
    {
        this(outcome, reports, false, List.of());
    }
}
