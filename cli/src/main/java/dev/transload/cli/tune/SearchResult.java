/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import java.util.List;

/**
 * What a search found.
 *
 * @param chosen       the best candidate where it was confirmed, else the default.
 * @param best         the best candidate of the search.
 * @param confirmation of the best one against the default; null where nothing was better, or time was too short.
 * @param reason       one sentence: why this one is chosen.
 * @param defaultNs    median time of the default's calls, in nanoseconds.
 * @param steps        by which the search came from the default to the best, in order.
 * @param tried        all candidates, in the order of their first trials.
 * @param trials       number of all trials.
 */
record SearchResult(
    Candidate chosen,
    Candidate best,
    Ratio confirmation,
    String reason,
    long defaultNs,
    List<Step> steps,
    List<Tried> tried,
    int trials)
{
    /**
     * A change that was kept.
     *
     * @param dimension which was varied.
     * @param from      the best until then.
     * @param to        the best from then on.
     * @param ratio     of their times, in pairs.
     */
    record Step(String dimension, Candidate from, Candidate to, Ratio ratio)
    {
    }

    /**
     * A candidate.
     *
     * @param candidate which was tried.
     * @param callNs    median of its trials' times, in nanoseconds.
     * @param cpuNs     median of its trials' CPU times, in nanoseconds.
     * @param ratio     to the default's time, by way of what it was compared with; null for the default, or a failed
     *                  candidate.
     * @param failure   why it was skipped, or null if some trial was good.
     */
    record Tried(Candidate candidate, long callNs, long cpuNs, Ratio ratio, String failure)
    {
    }
}
