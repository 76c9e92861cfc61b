/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
     * @param reason why it failed, then the rule and its intent on lines of their own; why it was skipped; or empty.
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
     * What several runs of the same tests found together. A test that failed in any run has failed; one that was
     * skipped in some runs only counts as in the others.
     *
     * @param reports one a run, at least one, of the same tests.
     * @return report; the reason of a failure begins with the run that it was seen in first.
     */
    public static ConformanceReport merge(final List<ConformanceReport> reports)
    {
        final Map<String, Result> merged = new LinkedHashMap<>();
        for (int run = 0; run < reports.size(); run++)
        {
            for (final Result result : reports.get(run).results())
            {
                final boolean isNamed = Status.FAILED == result.status() && reports.size() > 1;
                final Result named = !isNamed ? result : new Result(result.rule(), result.test(), result.status(),
                    "run " + (run + 1) + " of " + reports.size() + ": " + result.reason());
                merged.merge(result.rule() + " " + result.test(), named, ConformanceReport::worse);
            }
        }

        return new ConformanceReport(new ArrayList<>(merged.values()));
    }

    private static Result worse(final Result one, final Result other)
    {
        return Status.FAILED == one.status() || Status.SKIPPED == other.status() ? one : other;
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
