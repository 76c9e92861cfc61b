/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.cli.settings.Settings;
import dev.transload.rendezvous.Rendezvous;

/** The calls of a trial, in one of the engine's modes. */
interface TrialCalls
{
    /** Most calls of a trial: ranks tell each other the time of each. */
    int most();

    /**
     * Look at settings before an engine is opened with them.
     *
     * @param settings of a candidate other than the default.
     * @return why this rank cannot run it, or null.
     */
    String refusal(Settings settings);

    /**
     * Open an engine, make calls and close it, collectively.
     *
     * @param settings  of a candidate.
     * @param world     for this engine alone.
     * @param calls     to be timed, after others that warm up.
     * @param longestNs where they would take longer, fewer may be made, as many on all ranks.
     * @return what this rank measured.
     */
    Sample measure(Settings settings, Rendezvous world, int calls, long longestNs);
}
