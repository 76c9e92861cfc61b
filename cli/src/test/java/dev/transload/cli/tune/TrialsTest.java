/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.input.RunInput;
import dev.transload.cli.launch.LocalThreads;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.lowlatency.CallInput;
import dev.transload.cli.lowlatency.LowLatencyTask;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.WorldConfig;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.rendezvous.Rendezvous;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real engines, one after the other, over one rendezvous. */
@Timeout(120)
class TrialsTest
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final InputOptions INPUT = new InputOptions(null, 16, null, 8, 2, 128, null, 1);
    private static final long AMPLE = Long.MAX_VALUE / 2;
    private static final long BUDGET_NS = 1_000_000_000L;

    private static final Settings SETTINGS = Settings.load(null, Map.of("transload.nodes", "1",
        "transload.ranks-per-node", "2", "transload.max-hidden", "128", "transload.kernels.mode", "scalar",
        "transload.scale-up.transport", "aeron", "transload.low-latency.max-tokens", "10"), Map.of(), Map.of());

    private static List<JsonNode> ranks(final Function<RankPlace, List<String>> task)
    {
        final RanksResult result = new LocalThreads(Progress.NONE).run(
            (place, description) -> JSON.valueToTree(task.apply(place)), JSON.createObjectNode(), SETTINGS, 2);
        assertEquals(Outcome.DONE, result.outcome());
        return result.reports();
    }

    private static List<JsonNode> measure(final long mostRingBytes, final Candidate... candidates)
    {
        return ranks((place) ->
        {
            try (RunInput input = InputLoader.load(INPUT, WorldConfig.of(1, 2)))
            {
                final TrialCalls calls = new NormalTrialCalls(place.rank(), input, mostRingBytes);
                return measure(new Trials(place, calls, place.rendezvous().get(), BUDGET_NS), candidates);
            }
        });
    }

    private static List<JsonNode> measureLowLatency(final long mostBytes, final Candidate... candidates)
    {
        return ranks((place) ->
        {
            try (CallInput input = LowLatencyTask.ofCalls(INPUT).load(
                LowLatencyConfig.from(place.settings().config())))
            {
                final Trials trials = new Trials(place, new LowLatencyTrialCalls(place, input, mostBytes),
                    place.rendezvous().get(), BUDGET_NS);
                final List<String> said = measure(trials, candidates);
                assertEquals(LowLatencySpace.NEAR_RANKS, trials.reach());
                return said;
            }
        });
    }

    private static List<String> measure(final Trials trials, final Candidate... candidates)
    {
        final List<String> said = new ArrayList<>();
        for (final Candidate candidate : candidates)
        {
            final long beforeNs = trials.elapsedNs();
            final Trial trial = trials.measure(candidate);
            assertTrue(trials.elapsedNs() > beforeNs, "time passes");
            assertTrue(trial.isFailed() || trial.callNs() > 0 && trial.cpuNs() >= 0, trial::toString);
            said.add(trial.isFailed() ? trial.failure() : "good " + trial.callNs() + " " + trials.elapsedNs());
        }

        return said;
    }

    @Test
    void shouldGoOnAfterACandidateThatFails()
    {
        final List<JsonNode> reports = measure(AMPLE, Candidate.DEFAULT,
            Candidate.DEFAULT.with("scale-up.chunk", "4").with("scale-up.ring", "2"),
            Candidate.DEFAULT.with("threads.cores", "9999"),
            Candidate.DEFAULT.with("channels", "1").with("threads.cores", "auto").with("threads.idle", "yield"));

        // All ranks have the same figures, or they would not come to the same decisions.
        assertEquals(reports.get(0), reports.get(1));
        assertTrue(reports.get(0).get(0).asText().startsWith("good"), reports::toString);
        assertTrue(reports.get(0).get(1).asText().contains("could deadlock"), reports::toString);
        assertTrue(reports.get(0).get(2).asText().contains("core 9999"), reports::toString);
        assertTrue(reports.get(0).get(3).asText().startsWith("good"), reports::toString);
    }

    /** Of 16 tokens in calls of 10, and with far ranks whose rows go by puts. */
    @Test
    void shouldMeasureCallsOfLowLatency()
    {
        final List<JsonNode> reports = measureLowLatency(AMPLE, Candidate.DEFAULT,
            Candidate.DEFAULT.with(LowLatencySpace.NEAR, "never").with(LowLatencySpace.CHANNELS, "2"),
            Candidate.DEFAULT.with(LowLatencySpace.CHANNELS, "99"),
            Candidate.DEFAULT.with("threads.idle", "spin").with("aeron.idle", "yield"));

        assertEquals(reports.get(0), reports.get(1));
        for (final int good : List.of(0, 1, 3))
        {
            assertTrue(reports.get(0).get(good).asText().startsWith("good"), reports::toString);
        }

        assertTrue(reports.get(0).get(2).asText().contains("low-latency.channels = 99"), reports::toString);
    }

    /** Or a single trial of a spinning thread takes the budget. */
    @Test
    void shouldMakeFewCallsWhereTheyTakeLong()
    {
        ranks((place) ->
        {
            try (CallInput input = LowLatencyTask.ofCalls(INPUT).load(
                LowLatencyConfig.from(place.settings().config())))
            {
                final TrialCalls calls = new LowLatencyTrialCalls(place, input, AMPLE);
                final Rendezvous world = place.rendezvous().get();
                assertEquals(20, calls.measure(
                    place.settings(), new ScopedRendezvous(world, 1), 20, AMPLE).callNs().length);
                assertEquals(3, calls.measure(
                    place.settings(), new ScopedRendezvous(world, 2), 20, 1).callNs().length);
                return List.of();
            }
        });
    }

    @Test
    void shouldNotMakeRanksFarWhereThereIsNoRoomForIt()
    {
        final JsonNode said = measureLowLatency(1, Candidate.DEFAULT,
            Candidate.DEFAULT.with(LowLatencySpace.NEAR, "never"),
            Candidate.DEFAULT.with(LowLatencySpace.CHANNELS, "2")).get(0);
        assertTrue(said.get(0).asText().startsWith("good"), said::toString);
        assertTrue(said.get(1).asText().matches(
            "rank 0: its buffers need up to \\d+ MiB a rank, of which there are 0"), said::toString);
        assertTrue(said.get(2).asText().startsWith("good"), said::toString);
    }

    @Test
    void shouldNotTryRingsThatTheHostHasNoRoomFor()
    {
        final JsonNode said = measure(1 << 20, Candidate.DEFAULT, Candidate.DEFAULT.with("scale-up.chunk", "1024"))
            .get(0);
        assertTrue(said.get(0).asText().startsWith("good"), said::toString);
        assertTrue(said.get(1).asText().matches("rank 0: its rings need \\d+ MiB a rank, of which there are 1"),
            said::toString);
        assertFalse(said.get(1).asText().startsWith("good"));
    }
}
