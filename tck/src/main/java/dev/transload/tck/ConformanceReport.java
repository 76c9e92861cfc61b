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
 * Results of a run of the conformance kit, one per test.
 *
 * @param results results ordered by rule.
 */
public record ConformanceReport(List<Result> results)
{
    /** Result of a test. */
    public enum Status
    {
        /** The test found no violation of the rule. */
        PASSED,
        /** The test found a violation of the rule. */
        FAILED,
        /** The rule does not apply to this transport, or the fixture cannot test it. */
        SKIPPED
    }

    /**
     * Outcome of one test.
     *
     * @param rule   ID of the rule, e.g. {@code ORD-2}.
     * @param test   name of the test method.
     * @param status result of the test.
     * @param reason if the test failed, the cause, followed by the rule and its intent on separate lines; if the test
     *               was skipped, the cause; otherwise empty.
     */
    public record Result(String rule, String test, Status status, String reason)
    {
    }

    /** Creates a report with a copy of the list. */
    public ConformanceReport
    {
        results = List.copyOf(results);
    }

    /**
     * Returns whether no test failed and at least one test ran.
     *
     * @return true if no test failed and at least one test was executed.
     */
    public boolean isConformant()
    {
        return !results.isEmpty() && rules(Status.FAILED).isEmpty();
    }

    /**
     * Combines the reports of several runs of the same tests. A test that failed in any run counts as failed. A test
     * that was skipped in some runs counts with its result in the other runs.
     *
     * @param reports one report per run, at least one, all of the same tests.
     * @return combined report; the reason for a failure begins with the number of the first run with this failure.
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
     * Returns the rules whose tests ended with a given result.
     *
     * @param status result to search for.
     * @return IDs of the rules.
     */
    public Set<String> rules(final Status status)
    {
        return results.stream()
            .filter((result) -> status == result.status())
            .map(Result::rule)
            .collect(Collectors.toCollection(TreeSet::new));
    }
}
