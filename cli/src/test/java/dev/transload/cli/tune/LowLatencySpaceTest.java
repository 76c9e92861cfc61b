/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is varied in low latency, and how far. */
class LowLatencySpaceTest
{
    private static final int NEAR = LowLatencySpace.NEAR_RANKS;
    private static final int ELSEWHERE = LowLatencySpace.NEAR_ELSEWHERE;
    private static final int FAR = LowLatencySpace.FAR_RANKS;

    private static LowLatencyConfig config(final Candidate candidate)
    {
        return LowLatencyConfig.from(ConfigFactory.parseMap(candidate.keys()).withFallback(
            ConfigFactory.parseString("transload { nodes = 2, ranks-per-node = 2 }")));
    }

    private static LowLatencySpace space(final int reach, final int coresPerRank, final Set<String> fixed)
    {
        return new LowLatencySpace(
            LowLatencySpaceTest::config, List.of("ucx", "aeron"), coresPerRank, fixed, () -> reach);
    }

    private static List<String> around(
        final String key, final int reach, final int coresPerRank, final Candidate from)
    {
        return space(reach, coresPerRank, Set.of()).dimensions().stream().filter((one) -> key.equals(one.name()))
            .flatMap((one) -> one.around(from).stream())
            .map((candidate) -> candidate.values().getOrDefault(key, "default")).toList();
    }

    @Test
    void shouldBeginWithTheWayToRanks()
    {
        assertEquals(List.of("low-latency.near", "low-latency.channels", "threads.idle", "ucx.idle", "aeron.idle"),
            space(NEAR, 4, Set.of()).dimensions().stream().map(Dimension::name).toList());
        assertEquals(List.of("threads.idle", "aeron.idle"),
            space(NEAR, 4, Set.of("low-latency.near", "low-latency.channels", "ucx.idle")).dimensions().stream()
                .map(Dimension::name).toList());
    }

    @Test
    void shouldKnowTheTransportsWhoseThreadCanBeTold()
    {
        final EngineConfig config = EngineConfig.from(ConfigFactory.parseString("transload { nodes = 2, " +
            "scale-out.transport = ucx, scale-up.transport = aeron }"));
        assertEquals(List.of("ucx", "aeron"), LowLatencySpace.transports(config));
        assertEquals(List.of("low-latency.near", "low-latency.channels", "threads.idle", "ucx.idle", "aeron.idle"),
            LowLatencySpace.keys(config));
        assertEquals(List.of("aeron"), LowLatencySpace.transports(EngineConfig.from(ConfigFactory.parseString(
            "transload { scale-out.transport = ucx, scale-up.transport = aeron }"))));
    }

    /** Ranks can be made far, but not near. */
    @ParameterizedTest
    @CsvSource({"1, never", "3, never node", "5, never", "7, never node", "4, ''", "0, ''"})
    void shouldMakeRanksFarThatAreNear(final int reach, final String tried)
    {
        assertEquals(tried.isEmpty() ? List.of() : List.of(tried.split(" ")),
            around(LowLatencySpace.NEAR, reach, 4, Candidate.DEFAULT));
    }

    @Test
    void shouldComeBackToNearRanks()
    {
        assertEquals(List.of("default", "node"), around(LowLatencySpace.NEAR, NEAR | ELSEWHERE, 4,
            Candidate.DEFAULT.with(LowLatencySpace.NEAR, "never")));
    }

    /** Near ranks use no channel, and no thread of a transport. */
    @Test
    void shouldVaryWhatOnlyFarRanksUseWhereThereAreSome()
    {
        final Candidate far = Candidate.DEFAULT.with(LowLatencySpace.NEAR, "never");
        for (final String key : List.of(LowLatencySpace.CHANNELS, "ucx.idle", "aeron.idle"))
        {
            assertEquals(List.of(), around(key, NEAR | ELSEWHERE, 4, Candidate.DEFAULT), key);
            assertEquals(around(key, FAR, 4, Candidate.DEFAULT), around(key, NEAR | FAR, 4, Candidate.DEFAULT), key);
            assertEquals(around(key, FAR, 4, Candidate.DEFAULT), around(key, NEAR, 4, far), key);
        }

        assertEquals(List.of("2", "4", "8"), around(LowLatencySpace.CHANNELS, FAR, 4, Candidate.DEFAULT));
        assertEquals(List.of("yield", "spin"), around("ucx.idle", FAR, 2, Candidate.DEFAULT));
    }

    @ParameterizedTest
    @CsvSource({"0, false, false", "1, true, false", "2, true, true"})
    void shouldSpinOnlyOnCoresOfItsOwn(final int coresPerRank, final boolean isCaller, final boolean isTransport)
    {
        assertEquals(isCaller, around("threads.idle", FAR, coresPerRank, Candidate.DEFAULT).contains("spin"));
        assertEquals(isTransport, around("aeron.idle", FAR, coresPerRank, Candidate.DEFAULT).contains("spin"));
    }

    @Test
    void shouldSayWhatKeysComeTo()
    {
        final LowLatencySpace space = space(NEAR, 4, Set.of());
        assertEquals(Map.of("low-latency.near", "auto", "low-latency.channels", "1", "threads.idle", "backoff",
            "ucx.idle", "backoff", "aeron.idle", "backoff"), space.values(Candidate.DEFAULT));
        final Candidate other = Candidate.DEFAULT.with("low-latency.near", "node").with("low-latency.channels", "4")
            .with("threads.idle", "spin").with("aeron.idle", "yield");
        final Map<String, String> values = space.values(other);
        assertTrue(values.entrySet().containsAll(other.values().entrySet()), values::toString);
    }
}
