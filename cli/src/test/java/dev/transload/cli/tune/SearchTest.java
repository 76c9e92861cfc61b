/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The search over cost functions that are known, with noise from seeds and a clock of its own. */
class SearchTest
{
    private static final long AMPLE = 1_000 * SyntheticWorld.TRIAL_NS;
    private static final Map<String, List<Integer>> VALUES =
        Map.of("a", List.of(1, 2, 4, 8), "b", List.of(8, 16, 32, 64), "c", List.of(1, 2));
    private static final Map<String, Integer> DEFAULTS = Map.of("a", 2, "b", 16, "c", 1);

    /** Valleys in two dimensions; the third does not matter. */
    private static double valley(final Map<String, Integer> settings)
    {
        final double a = Math.log(settings.get("a") / 8.0);
        final double b = Math.log(settings.get("b") / 64.0);
        return 1 + 0.1 * a * a + 0.1 * b * b;
    }

    private static SyntheticWorld valleys(final double noise, final long seed)
    {
        return new SyntheticWorld(VALUES, DEFAULTS, SearchTest::valley, noise, seed);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "0.01, 2", "0.02, 3", "0.03, 4", "0.03, 5"})
    void shouldFindTheOptimum(final double noise, final long seed)
    {
        final SearchResult result = valleys(noise, seed).search(AMPLE);

        assertEquals("8", result.chosen().values().get("a"), result.reason());
        assertEquals("64", result.chosen().values().get("b"), result.reason());
        assertEquals(Search.MOST_PAIRS, result.confirmation().pairs());
        assertTrue(result.reason().startsWith("confirmed in pairs"), result.reason());
    }

    @Test
    void shouldNeverChooseWhatIsSlowerThanTheDefault()
    {
        for (int seed = 0; seed < 300; seed++)
        {
            // Nothing is better than the default by more than the gain asked for, most is much worse.
            final SyntheticWorld world = new SyntheticWorld(VALUES, DEFAULTS,
                (settings) -> DEFAULTS.equals(settings) ? 1 : 1.01 + 0.01 * settings.get("a"), 0.05, seed);
            final SearchResult result = world.search(AMPLE);
            assertTrue(world.cost(result.chosen()) <= 1, () -> result.chosen() + ": " + result.reason());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldKeepTheDefaultWhereNothingMatters(final long seed)
    {
        final SearchResult result = new SyntheticWorld(VALUES, DEFAULTS, (settings) -> 1, 0.005, seed).search(AMPLE);

        assertTrue(result.chosen().isDefault());
        assertNull(result.confirmation());
        assertEquals("nothing that was tried is faster beyond the noise", result.reason());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20, 40, 77, 150})
    void shouldKeepToItsBudget(final int trials)
    {
        final SyntheticWorld world = valleys(0.01, trials);
        final SearchResult result = world.search(trials * SyntheticWorld.TRIAL_NS);

        // The first two trials are made whatever the budget.
        assertTrue(world.nowNs() <= Math.max(2, trials) * SyntheticWorld.TRIAL_NS, () -> world.nowNs() + " ns");
        assertEquals(world.measured().size() - 1, result.trials());
        assertTrue(result.chosen().isDefault() || result.confirmation().pairs() >= Search.LEAST_PAIRS);
        assertTrue(world.cost(result.chosen()) <= world.cost(Candidate.DEFAULT));
    }

    @Test
    void shouldSayWhenThereWasNoTimeForAnything()
    {
        final SearchResult result = valleys(0, 1).search(1);

        assertTrue(result.chosen().isDefault());
        assertEquals("the budget is too short to try anything else: give a longer one", result.reason());
    }

    @Test
    void shouldDecideTheSameByTheSameTrials()
    {
        final SyntheticWorld one = valleys(0.03, 42);
        final SyntheticWorld other = valleys(0.03, 42);

        assertEquals(one.search(AMPLE), other.search(AMPLE));
        assertEquals(one.measured(), other.measured());
    }

    @Test
    void shouldSkipAndListWhatFails()
    {
        final Candidate broken = Candidate.DEFAULT.with("a", "8");
        final SyntheticWorld world = valleys(0, 1).breaking(broken);
        final SearchResult result = world.search(AMPLE);

        assertEquals(1, world.measured().stream().filter(broken::equals).count());
        assertEquals("rank 1: no memory", result.tried().stream()
            .filter((tried) -> broken.equals(tried.candidate())).findFirst().orElseThrow().failure());
        assertFalse(result.chosen().isDefault(), result.reason());
    }

    @Test
    void shouldTellOfWhatIsTriedAndOfEveryStepWhenItIsMade()
    {
        final SyntheticWorld world = valleys(0, 1);
        final SearchResult result = world.search(AMPLE);

        assertEquals(IntStream.rangeClosed(0, result.steps().size()).boxed().toList(),
            world.found().stream().map((found) -> found.steps().size()).distinct().toList());
        assertTrue(world.found().get(0).reason().contains("before anything faster"), world.found().get(0).reason());
        assertTrue(world.found().get(0).tried().size() > 1, "before the first step");
        final SearchResult last = world.found().get(world.found().size() - 1);
        assertEquals(result.best(), last.best());
        assertEquals(result.steps(), last.steps());
        assertTrue(last.reason().contains("interrupted"), last.reason());
    }

    @Test
    void shouldCompareWithTheDefaultByWayOfTheBestSoFar()
    {
        final SyntheticWorld world = valleys(0, 1);
        final double base = world.cost(Candidate.DEFAULT);
        world.search(AMPLE).tried().stream().filter((tried) -> !tried.candidate().isDefault()).forEach((tried) ->
            assertEquals(world.cost(tried.candidate()) / base, tried.ratio().median(), 1e-4, tried::toString));
    }
}
