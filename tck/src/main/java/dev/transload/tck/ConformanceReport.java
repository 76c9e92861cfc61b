/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What the kit found, rule by rule.
 *
 * @param results one for each test, ordered by rule.
 */
public record ConformanceReport(List<Result> results)
{
    /** How a test ended. */
    public enum Status
    {
        /** The rule is kept as far as the test can see. */
        PASSED,
        /** The rule is broken. */
        FAILED,
        /** The rule does not apply here, or the fixture cannot show it. */
        SKIPPED
    }

    /**
     * Outcome of one test.
     *
     * @param rule   id, e.g. {@code ORD-2}.
     * @param test   name of the method.
     * @param status how it ended.
     * @param reason why it failed or was skipped; empty when it passed.
     */
    public record Result(String rule, String test, Status status, String reason)
    {
    }

    /** Copies the list. */
    public ConformanceReport
    {
        results = List.copyOf(results);
    }

    /**
     * Whether no rule was found broken.
     *
     * @return true when nothing failed and anything was tested.
     */
    public boolean isConformant()
    {
        return !results.isEmpty() && rules(Status.FAILED).isEmpty();
    }

    /**
     * Rules whose tests ended in one way.
     *
     * @param status asked for.
     * @return ids.
     */
    public Set<String> rules(final Status status)
    {
        return results.stream()
            .filter((result) -> status == result.status())
            .map(Result::rule)
            .collect(Collectors.toCollection(TreeSet::new));
    }
}
