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
 */
public record RanksResult(Outcome outcome, List<JsonNode> reports, boolean isInterrupted)
{
    /** By a signal. */
    static RanksResult interrupted(final int exitCode, final List<JsonNode> reports)
    {
        return new RanksResult(
            Outcome.of(exitCode, "interrupted by " + Interrupts.name(exitCode)), reports, true);
    }

    /** Ended by themselves. */
    public RanksResult(final Outcome outcome, final List<JsonNode> reports)
    {
        this(outcome, reports, false);
    }
}
