/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** All trials of a search, by candidate. */
final class Ledger
{
    private static final class Entry
    {
        private final List<Trial> trials = new ArrayList<>();
        private final List<Double> ratios = new ArrayList<>();
    }

    private final Map<Candidate, Entry> entries = new LinkedHashMap<>();
    private int trials;

    void enter(final Candidate candidate, final Trial trial)
    {
        trials++;
        entry(candidate).trials.add(trial);
    }

    void compare(final Candidate candidate, final double ratioToDefault)
    {
        entry(candidate).ratios.add(ratioToDefault);
    }

    boolean isFailed(final Candidate candidate)
    {
        return entries.containsKey(candidate) && entry(candidate).trials.stream().anyMatch(Trial::isFailed);
    }

    int trials()
    {
        return trials;
    }

    long callNs(final Candidate candidate)
    {
        return median(good(entry(candidate)).stream().map(Trial::callNs).toList());
    }

    List<SearchResult.Tried> tried()
    {
        final List<SearchResult.Tried> all = new ArrayList<>();
        entries.forEach((candidate, entry) ->
        {
            final List<Trial> good = good(entry);
            all.add(new SearchResult.Tried(candidate, median(good.stream().map(Trial::callNs).toList()),
                median(good.stream().map(Trial::cpuNs).toList()),
                entry.ratios.isEmpty() ? null : Ratio.of(entry.ratios),
                !good.isEmpty() ? null :
                entry.trials.stream().map(Trial::failure).filter(Objects::nonNull).findFirst().orElse(null)));
        });
        return all;
    }

    private Entry entry(final Candidate candidate)
    {
        return entries.computeIfAbsent(candidate, (key) -> new Entry());
    }

    private static List<Trial> good(final Entry entry)
    {
        return entry.trials.stream().filter((trial) -> !trial.isFailed()).toList();
    }

    private static long median(final List<Long> values)
    {
        return values.isEmpty() ? 0 : values.stream().sorted().toList().get(values.size() / 2);
    }
}
