/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.report.Summary;
import java.util.stream.Collectors;

/** How a run ended whose ranks, or what is left of them, have reported. */
final class Verdict
{
    private Verdict()
    {
    }

    /** The exit code is the signal's whatever was found, but a wrong row must not go unsaid. */
    static Outcome ofInterrupted(final Outcome outcome, final Summary summary)
    {
        return Outcome.of(outcome.exitCode(), outcome.sentence() + " after " + summary.header().iterations() + " of " +
            summary.header().planned() + " iterations: " + (summary.isVerified() ? "the report is of these" :
            "verification failed: " + summary.failures().get(0)));
    }

    /** What was found wrong comes before who was lost. */
    static Outcome of(final Outcome outcome, final Summary summary)
    {
        if (!summary.isVerified())
        {
            return Outcome.of(ExitCodes.FAILED, "verification failed: " + summary.failures().get(0));
        }

        if (ExitCodes.DONE != outcome.exitCode())
        {
            return Outcome.of(outcome.exitCode(), outcome.sentence() + "; what they have is verified");
        }

        return summary.masked().isEmpty() ? Outcome.DONE : Outcome.of(ExitCodes.PEER_FAILED,
            summary.masked().entrySet().stream()
                .map((masked) -> "rank " + masked.getKey() + " was masked by rank " + masked.getValue().stream()
                    .map(String::valueOf).collect(Collectors.joining(", ")))
                .collect(Collectors.joining("; ")) + "; what the ranks have is verified");
    }
}
