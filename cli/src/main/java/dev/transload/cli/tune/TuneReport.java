/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What a search tells, as JSON and as the source of everything that is written. Keys are those below {@code transload};
 * times are those of a dispatch with its combine, slowest rank, in microseconds; ratios are to the default's time.
 *
 * @param isConfirmed   whether something else than the default is chosen.
 * @param reason        why.
 * @param confirmation  ratio of the best candidate in pairs with the default, or null where there were none.
 * @param defaultMicros time with the default.
 * @param defaults      what the default comes to on this world.
 * @param best          what the best candidate changes, confirmed or not.
 * @param changes       by which the search came to it.
 * @param tried         all candidates.
 * @param trials        number of all trials.
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record TuneReport(
    boolean isConfirmed,
    String reason,
    Ratio confirmation,
    double defaultMicros,
    Map<String, String> defaults,
    Map<String, String> best,
    List<Change> changes,
    List<Tried> tried,
    int trials)
{
    private static final double NS_PER_MICRO = 1e3;

    /**
     * A value that was changed and kept.
     *
     * @param key   which.
     * @param from  before.
     * @param to    after.
     * @param ratio of the time after to the time before, in pairs.
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    public record Change(String key, String from, String to, Ratio ratio)
    {
    }

    /**
     * A candidate.
     *
     * @param settings  which it changes; empty for the default.
     * @param micros    time, 0 if it failed.
     * @param cpuMicros CPU time of all ranks together, 0 if it failed.
     * @param ratio     to the default, null for the default itself and where it failed.
     * @param failure   why it was skipped, or null.
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    public record Tried(Map<String, String> settings, double micros, double cpuMicros, Ratio ratio, String failure)
    {
    }

    static TuneReport of(final SearchResult result, final Function<Candidate, Map<String, String>> values)
    {
        final List<Change> changes = new ArrayList<>();
        for (final SearchResult.Step step : result.steps())
        {
            final Map<String, String> before = values.apply(step.from());
            final Map<String, String> after = values.apply(step.to());
            new TreeMap<>(step.to().values()).forEach((key, value) ->
            {
                if (!value.equals(step.from().values().get(key)))
                {
                    changes.add(new Change(key, before.get(key), after.get(key), step.ratio()));
                }
            });
        }

        return new TuneReport(
            !result.chosen().isDefault(), result.reason(), result.confirmation(), result.defaultNs() / NS_PER_MICRO,
            values.apply(Candidate.DEFAULT), result.best().values(), changes,
            result.tried().stream().map((tried) -> new Tried(tried.candidate().values(),
                tried.callNs() / NS_PER_MICRO, tried.cpuNs() / NS_PER_MICRO, tried.ratio(), tried.failure())).toList(),
            result.trials());
    }

    /** What run is to take. */
    Map<String, String> chosen()
    {
        return isConfirmed ? best : Map.of();
    }
}
