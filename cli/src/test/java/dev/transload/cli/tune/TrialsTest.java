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
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.WorldConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real engines, one after the other, over one rendezvous. */
@Timeout(120)
class TrialsTest
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final InputOptions INPUT = new InputOptions(null, 16, null, 8, 2, 128, null, 1);
    private static final long AMPLE = Long.MAX_VALUE / 2;

    private static final Settings SETTINGS = Settings.load(null, Map.of("transload.nodes", "1",
        "transload.ranks-per-node", "2", "transload.max-hidden", "128", "transload.kernels.mode", "scalar",
        "transload.scale-up.transport", "aeron"), Map.of(), Map.of());

    private static List<JsonNode> measure(final long mostRingBytes, final Candidate... candidates)
    {
        final RanksResult result = new LocalThreads(Progress.NONE).run(
            (place, task) -> JSON.valueToTree(measure(place, mostRingBytes, candidates)), JSON.createObjectNode(),
            SETTINGS, 2);
        assertEquals(Outcome.DONE, result.outcome());
        return result.reports();
    }

    private static List<String> measure(
        final RankPlace place, final long mostRingBytes, final Candidate... candidates)
    {
        try (RunInput input = InputLoader.load(INPUT, WorldConfig.of(1, 2)))
        {
            final Trials trials = new Trials(place, input, place.rendezvous().get(), 1_000_000_000L, mostRingBytes);
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
