/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A search's report for people: what was tried, what is chosen and why. Times of candidates are left to the JSON: each
 * was measured at another moment than the default's, so that only its ratio, which comes from pairs, orders them.
 */
final class TuneText
{
    private static final double MICROS_PER_MILLI = 1e3;

    private TuneText()
    {
    }

    static String of(final TuneReport report, final String header)
    {
        final List<String> lines = new ArrayList<>();
        lines.add(header);
        lines.add("default: " + settings(report.defaults()));
        lines.add(String.format(
            Locale.ROOT, "time of the default: %.3f ms", report.defaultMicros() / MICROS_PER_MILLI));
        lines.add("");
        lines.add(String.format(Locale.ROOT, "%9s %9s  %-15s %s", "CPU ms", "ratio", "low to high", "tried"));
        final List<TuneReport.Tried> sorted = new ArrayList<>(report.tried());
        sorted.sort(Comparator.comparingDouble(TuneText::order));
        sorted.forEach((tried) -> lines.add(line(tried)));
        lines.add("");
        lines.addAll(reasons(report));
        return lines.stream().collect(Collectors.joining(System.lineSeparator(), "", System.lineSeparator()));
    }

    /** One sentence a chosen value, then the verdict. */
    static List<String> reasons(final TuneReport report)
    {
        final Map<String, TuneReport.Change> last = new LinkedHashMap<>();
        report.changes().forEach((change) -> last.put(change.key(), change));
        final List<String> sentences = new ArrayList<>();
        last.forEach((key, change) ->
        {
            if (report.best().containsKey(key))
            {
                sentences.add(key + " = " + change.to() + (change.to().equals(change.from()) ? "" :
                    " rather than " + change.from()) + ": " + ratio(change.ratio()) + " of the time before");
            }
        });
        sentences.add((report.isConfirmed() ? "chosen" : "the default stays") + ": " + report.reason() +
            (null == report.confirmation() ? "" : ", " + ratio(report.confirmation()) + " of its time"));
        return sentences;
    }

    static String settings(final Map<String, String> settings)
    {
        return settings.isEmpty() ? "the default" : settings.entrySet().stream()
            .map((entry) -> entry.getKey() + " = " + entry.getValue()).collect(Collectors.joining(", "));
    }

    private static String ratio(final Ratio ratio)
    {
        return String.format(Locale.ROOT, "%.3f (%.3f to %.3f in %d pairs)",
            ratio.median(), ratio.low(), ratio.high(), ratio.pairs());
    }

    /** By ratio, the default where it belongs, what failed at the end. */
    private static double order(final TuneReport.Tried tried)
    {
        return null != tried.failure() ? Double.MAX_VALUE : null == tried.ratio() ? 1 : tried.ratio().median();
    }

    private static String line(final TuneReport.Tried tried)
    {
        if (null != tried.failure())
        {
            return String.format(Locale.ROOT, "%9s %9s  %-15s %s: %s",
                "-", "skipped", "", settings(tried.settings()), tried.failure());
        }

        final Ratio ratio = tried.ratio();
        return String.format(Locale.ROOT, "%9.3f %9s  %-15s %s",
            tried.cpuMicros() / MICROS_PER_MILLI,
            null == ratio ? "1" : String.format(Locale.ROOT, "%.3f", ratio.median()),
            null == ratio ? "" : String.format(Locale.ROOT, "%.3f to %.3f", ratio.low(), ratio.high()),
            settings(tried.settings()));
    }
}
