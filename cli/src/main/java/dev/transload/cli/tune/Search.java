/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Coordinate descent with successive halving. One dimension after the other is varied around the best candidate so far:
 * all its values get a trial, the better half another one, until one is left, which then meets the best so far in
 * pairs. The last word is a comparison in pairs of the best candidate with the default; without a clear win there the
 * default is chosen. No random numbers: equal trials and times lead to equal decisions.
 */
final class Search
{
    /** Less than that is noise. */
    static final double GAIN = 0.02;

    static final int PAIRS_OF_A_STEP = 3;
    static final int LEAST_PAIRS = 6;
    static final int MOST_PAIRS = 12;

    /** Trials take longer at times than they did on average. */
    private static final double PRUDENCE = 1.25;

    private final List<Dimension> dimensions;
    private final Function<Candidate, Trial> trials;
    private final LongSupplier elapsedNs;
    private final long budgetNs;
    private final Consumer<SearchResult> findings;
    private final Ledger ledger = new Ledger();
    private final List<SearchResult.Step> steps = new ArrayList<>();
    private Candidate best = Candidate.DEFAULT;
    private double bestRatio = 1;
    private long warmNs;

    /**
     * Prepare.
     *
     * @param dimensions in the order in which they are varied.
     * @param trials     measures a candidate; one that cannot run gives a failed trial.
     * @param elapsedNs  time since the search began, which trials take, in nanoseconds.
     * @param budgetNs   for all trials together, in nanoseconds.
     * @param findings   told of each step.
     */
    Search(
        final List<Dimension> dimensions,
        final Function<Candidate, Trial> trials,
        final LongSupplier elapsedNs,
        final long budgetNs,
        final Consumer<SearchResult> findings)
    {
        this.dimensions = dimensions;
        this.trials = trials;
        this.elapsedNs = elapsedNs;
        this.budgetNs = budgetNs;
        this.findings = findings;
    }

    /** The first trial only makes everything warm. */
    SearchResult run()
    {
        trials.apply(Candidate.DEFAULT);
        warmNs = elapsedNs.getAsLong();
        measure(Candidate.DEFAULT);
        boolean isBetter = true;
        while (isBetter)
        {
            isBetter = false;
            for (final Dimension dimension : dimensions)
            {
                isBetter |= vary(dimension);
            }
        }

        if (!best.isDefault())
        {
            return confirm();
        }

        return result(Candidate.DEFAULT, null, 1 == ledger.tried().size() ?
            "the budget is too short to try anything else: give a longer one" :
            "nothing that was tried is faster beyond the noise");
    }

    private boolean vary(final Dimension dimension)
    {
        List<Candidate> field = new ArrayList<>(dimension.around(best));
        field.removeIf((candidate) -> candidate.equals(best) || ledger.isFailed(candidate));
        final Map<Candidate, List<Double>> ratios = new HashMap<>();
        boolean isOpen = !field.isEmpty();
        while (isOpen)
        {
            if (!hasTimeFor(field.size() + 1))
            {
                return false;
            }

            heat(field, ratios);
            found();
            field = betterHalf(field, ratios);
            isOpen = field.size() > 1;
        }

        return !field.isEmpty() && mean(ratios.get(field.get(0))) <= 1 - GAIN && duel(dimension, field.get(0));
    }

    /** One trial for each, and one for the best so far. Those that fail leave the field. */
    private void heat(final List<Candidate> field, final Map<Candidate, List<Double>> ratios)
    {
        final Trial reference = measure(best);
        final List<Candidate> failed = new ArrayList<>();
        for (final Candidate candidate : field)
        {
            final Trial trial = measure(candidate);
            if (trial.isFailed() || reference.isFailed())
            {
                failed.add(candidate);
            }
            else
            {
                final double ratio = (double)trial.callNs() / reference.callNs();
                ratios.computeIfAbsent(candidate, (key) -> new ArrayList<>()).add(ratio);
                ledger.compare(candidate, ratio * bestRatio);
            }
        }

        field.removeAll(failed);
    }

    private static List<Candidate> betterHalf(
        final List<Candidate> field, final Map<Candidate, List<Double>> ratios)
    {
        final List<Candidate> sorted = new ArrayList<>(field);
        sorted.sort(Comparator.comparingDouble((candidate) -> mean(ratios.get(candidate))));
        return new ArrayList<>(sorted.subList(0, (sorted.size() + 1) / 2));
    }

    private boolean duel(final Dimension dimension, final Candidate challenger)
    {
        if (!hasTimeFor(2 * PAIRS_OF_A_STEP))
        {
            return false;
        }

        final List<Double> ratios = pairs(challenger, best, PAIRS_OF_A_STEP);
        ratios.forEach((ratio) -> ledger.compare(challenger, ratio * bestRatio));
        if (ratios.size() < PAIRS_OF_A_STEP || Ratio.of(ratios).median() > 1 - GAIN)
        {
            return false;
        }

        final Ratio ratio = Ratio.of(ratios);
        steps.add(new SearchResult.Step(dimension.name(), best, challenger, ratio));
        best = challenger;
        bestRatio *= ratio.median();
        found();
        return true;
    }

    private void found()
    {
        findings.accept(result(best, null, best.isDefault() ?
            "the search was interrupted before anything faster than the default was found" :
            "the search was interrupted before this was confirmed"));
    }

    /** Stops at the first trial that fails. */
    private List<Double> pairs(final Candidate one, final Candidate other, final int count)
    {
        final List<Double> ratios = new ArrayList<>();
        for (int pair = 0; pair < count; pair++)
        {
            final Trial first = measure(one);
            final Trial second = measure(other);
            if (first.isFailed() || second.isFailed())
            {
                return ratios;
            }

            ratios.add((double)first.callNs() / second.callNs());
        }

        return ratios;
    }

    private SearchResult confirm()
    {
        final long leftNs = budgetNs - elapsedNs.getAsLong();
        final int pairs = (int)Math.max(0, Math.min(MOST_PAIRS, leftNs / (2 * trialNs())));
        if (pairs < LEAST_PAIRS)
        {
            return result(Candidate.DEFAULT, null, "the budget ended before anything faster could be confirmed");
        }

        final List<Double> ratios = pairs(best, Candidate.DEFAULT, pairs);
        if (ratios.size() < pairs)
        {
            return result(Candidate.DEFAULT, null, "the best candidate failed when it was to be confirmed");
        }

        final Ratio ratio = Ratio.of(ratios);
        ratios.forEach((one) -> ledger.compare(best, one));
        final boolean isWin = ratio.median() <= 1 - GAIN && LEAST_PAIRS * ratio.wins() >= (LEAST_PAIRS - 1) * pairs;
        return result(isWin ? best : Candidate.DEFAULT, ratio, String.format(Locale.ROOT,
            isWin ? "confirmed in pairs: faster than the default in %d of %d" :
            "the best candidate did not win clearly against the default: faster in %d of %d pairs",
            ratio.wins(), pairs));
    }

    private SearchResult result(final Candidate chosen, final Ratio confirmation, final String reason)
    {
        return new SearchResult(chosen, best, confirmation, reason, ledger.callNs(Candidate.DEFAULT),
            List.copyOf(steps), ledger.tried(), ledger.trials());
    }

    private Trial measure(final Candidate candidate)
    {
        final Trial trial = trials.apply(candidate);
        ledger.enter(candidate, trial);
        return trial;
    }

    /** Time for the comparison with the default is kept. */
    private boolean hasTimeFor(final int count)
    {
        return elapsedNs.getAsLong() + (count + 2L * LEAST_PAIRS) * trialNs() <= budgetNs;
    }

    private long trialNs()
    {
        return Math.max(1, (long)(PRUDENCE * (elapsedNs.getAsLong() - warmNs) / Math.max(1, ledger.trials())));
    }

    private static double mean(final List<Double> ratios)
    {
        return ratios.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }
}
