/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.cores.CoreSet;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.internal.config.HostRule;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is varied, and how far. */
class SearchSpaceTest
{
    private static EngineConfig config(final int nodes, final Candidate candidate)
    {
        return HostRule.settle(EngineConfig.from(
            ConfigFactory.parseMap(candidate.keys()).withFallback(ConfigFactory.parseString(
            "transload.nodes = " + nodes + ", transload.ranks-per-node = 2, transload.max-hidden = 4096"))),
            new HostShare(1, 1, 0, CoreSet.EMPTY));
    }

    private static List<Dimension> dimensions(final int nodes, final int coresPerRank, final Set<String> fixed)
    {
        return new SearchSpace((candidate) -> config(nodes, candidate), coresPerRank, fixed).dimensions();
    }

    private static List<Candidate> around(final String name, final int coresPerRank, final Candidate from)
    {
        return of(dimensions(2, coresPerRank, Set.of()), name).around(from);
    }

    @Test
    void shouldVaryBothStagesOfSeveralNodes()
    {
        assertEquals(List.of("channels", "threads.count", "threads.idle", "scale-out.chunk", "scale-out.ring",
            "scale-out.credit-batch", "scale-up.chunk", "scale-up.ring", "scale-up.credit-batch"),
            dimensions(2, 4, Set.of()).stream().map(Dimension::name).toList());
        assertTrue(dimensions(1, 4, Set.of()).stream().noneMatch((one) -> one.name().startsWith("scale-out")));
    }

    @Test
    void shouldLeaveWhatWasChosen()
    {
        final Set<String> names = new HashSet<>();
        dimensions(2, 4, Set.of("channels", "scale-up.ring")).forEach((one) -> names.add(one.name()));
        assertFalse(names.contains("channels") || names.contains("scale-up.ring"), names::toString);
        assertEquals(7, names.size());
    }

    @Test
    void shouldProposeOnlyWhatMayRun()
    {
        for (final Dimension dimension : dimensions(2, 8, Set.of()))
        {
            final List<Candidate> around = dimension.around(Candidate.DEFAULT);
            assertFalse(around.isEmpty(), dimension.name());
            assertEquals(around.size(), new HashSet<>(around).size(), dimension.name());
            // Reading refuses sizes that could deadlock; what comes to the default is not worth a trial.
            around.forEach((candidate) -> assertNotEquals(config(2, Candidate.DEFAULT), config(2, candidate)));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 2, false", "1, 2, true", "4, 4, true"})
    void shouldBoundThreadsByCores(final int coresPerRank, final int mostThreads, final boolean isSpinTried)
    {
        final List<Candidate> threads = around("threads.count", coresPerRank, Candidate.DEFAULT);
        assertEquals(mostThreads, threads.stream()
            .mapToInt((candidate) -> Integer.parseInt(candidate.values().get("threads.count"))).max().orElseThrow());
        assertEquals(isSpinTried, around("threads.idle", coresPerRank, Candidate.DEFAULT).stream()
            .anyMatch((candidate) -> "spin".equals(candidate.values().get("threads.idle"))));
    }

    @Test
    void shouldComeBackToRanksThatDriveWhereTheyOutnumberCores()
    {
        final Function<Candidate, EngineConfig> configs = (candidate) -> HostRule.settle(EngineConfig.from(
            ConfigFactory.parseMap(candidate.keys()).withFallback(ConfigFactory.parseString(
            "transload.nodes = 1, transload.ranks-per-node = 4"))).callerMayDrive(),
            new HostShare(2, 4, 0, CoreSet.EMPTY));
        final List<Dimension> all = new SearchSpace(configs, 0, Set.of()).dimensions();
        assertEquals(0, configs.apply(Candidate.DEFAULT).threads());
        assertTrue(of(all, "threads.count").around(Candidate.DEFAULT.with("threads.count", "1"))
            .contains(Candidate.DEFAULT));
        assertTrue(of(all, "threads.idle").around(Candidate.DEFAULT).stream()
            .noneMatch((candidate) -> "spin".equals(candidate.values().get("threads.idle"))));
    }

    private static Dimension of(final List<Dimension> all, final String name)
    {
        return all.stream().filter((one) -> name.equals(one.name())).findFirst().orElseThrow();
    }

    @Test
    void shouldLetRingAndBatchFollowAnotherChunk()
    {
        final Candidate tight = Candidate.DEFAULT.with("scale-up.chunk", "8").with("scale-up.ring", "16")
            .with("scale-up.credit-batch", "4");
        assertEquals(List.of("2", "4", "16", "32"), around("scale-up.chunk", 4, tight).stream()
            .map((candidate) -> candidate.values().get("scale-up.chunk")).toList());
        around("scale-up.chunk", 4, tight).forEach(
            (candidate) -> assertEquals(Set.of("scale-up.chunk"), candidate.values().keySet()));
        assertEquals(List.of("32", "64", "128"), around("scale-up.ring", 4, tight).stream()
            .map((candidate) -> candidate.values().get("scale-up.ring")).toList());
        assertEquals(List.of("8", "2"), around("scale-up.credit-batch", 4, tight).stream()
            .map((candidate) -> candidate.values().get("scale-up.credit-batch")).toList());
    }

    @Test
    void shouldSayWhatKeysComeTo()
    {
        final Map<String, String> values = SearchSpace.values(config(2, Candidate.DEFAULT.with("channels", "3")));
        assertEquals("3", values.get("channels"));
        assertEquals("32", values.get("scale-out.chunk"));
        assertEquals("128", values.get("scale-out.ring"));
        assertEquals(Set.copyOf(SearchSpace.KEYS), values.keySet());
    }
}
