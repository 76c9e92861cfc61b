/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** Trials of a cost function with noise from a seed, on a clock of their own. */
final class SyntheticWorld
{
    static final long TRIAL_NS = 100_000_000L;

    private static final double BASE_NS = 1e6;

    private final Map<String, List<Integer>> values;
    private final Map<String, Integer> defaults;
    private final ToDoubleFunction<Map<String, Integer>> cost;
    private final Random random;
    private final double noise;
    private final List<Candidate> measured = new ArrayList<>();
    private final List<SearchResult> found = new ArrayList<>();
    private Candidate broken;
    private long nowNs;

    /**
     * A world.
     *
     * @param values   to try, by key.
     * @param defaults by key.
     * @param cost     of values, relative.
     * @param noise    standard deviation of a trial, relative.
     * @param seed     of the noise.
     */
    SyntheticWorld(
        final Map<String, List<Integer>> values,
        final Map<String, Integer> defaults,
        final ToDoubleFunction<Map<String, Integer>> cost,
        final double noise,
        final long seed)
    {
        this.values = values;
        this.defaults = defaults;
        this.cost = cost;
        this.noise = noise;
        this.random = new Random(seed);
    }

    SyntheticWorld breaking(final Candidate candidate)
    {
        broken = candidate;
        return this;
    }

    SearchResult search(final long budgetNs)
    {
        final List<Dimension> dimensions = new ArrayList<>();
        values.keySet().stream().sorted().forEach((key) -> dimensions.add(new Dimension(key, (from) ->
            values.get(key).stream().map((value) -> from.with(key, String.valueOf(value)))
                .filter((candidate) -> !settings(candidate).equals(settings(from))).toList())));
        return new Search(dimensions, this::measure, () -> nowNs, budgetNs, found::add).run();
    }

    double cost(final Candidate candidate)
    {
        return cost.applyAsDouble(settings(candidate));
    }

    private Map<String, Integer> settings(final Candidate candidate)
    {
        final Map<String, Integer> settings = new TreeMap<>(defaults);
        candidate.values().forEach((key, value) -> settings.put(key, Integer.parseInt(value)));
        return settings;
    }

    List<Candidate> measured()
    {
        return measured;
    }

    List<SearchResult> found()
    {
        return found;
    }

    long nowNs()
    {
        return nowNs;
    }

    private Trial measure(final Candidate candidate)
    {
        nowNs += TRIAL_NS;
        measured.add(candidate);
        if (candidate.equals(broken))
        {
            return Trial.failed("rank 1: no memory");
        }

        final double factor = Math.max(0.1, 1 + noise * random.nextGaussian());
        return new Trial((long)(BASE_NS * cost(candidate) * factor), 1, null);
    }
}
