/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.loopback.LoopbackNetwork;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every pair of settings that the acceptance of the engine names, bit for bit against the reference: one world for each
 * row of a pairwise cover, on the loopback transport, driven by one thread.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PairwiseCoverTest
{
    private static final long SEED = 3;
    private static final int[][] WORLDS = {{1, 1}, {1, 4}, {4, 1}, {2, 2}, {2, 4}, {4, 2}, {3, 3}, {2, 8}};
    private static final String[] TRACES = {"layer00", "layer12", "layer23", null};
    private static final String[] PLACEMENTS = {"direct", "ring", "mixed"};
    private static final int[] HIDDENS = {128, 384, 1024, 2048, 7168};
    private static final int MAX_CHANNELS = 8;
    private static final int MAX_TOPK = 8;
    private static final int TRACE_TOPK = 4;

    private static final int WORLD = 0;
    private static final int TRACE = 1;
    private static final int CHANNELS = 2;
    private static final int TOPK = 3;
    private static final int HIDDEN = 4;
    private static final int POPULATION = 5;
    private static final int BIASES = 6;
    private static final int FP8 = 7;
    private static final int RINGS = 8;
    private static final int LAYOUT = 9;
    private static final int OUT_CREDIT = 10;
    private static final int UP_CREDIT = 11;
    private static final int WIRE = 12;
    private static final int WEIGHTS = 13;
    private static final int STAGING = 14;
    private static final int PLACEMENT = 15;
    private static final int[] LEVELS = {
        WORLDS.length, TRACES.length, MAX_CHANNELS, MAX_TOPK, HIDDENS.length, 4, 3, 2, 2, 2, 2, 2, 2, 2, 2,
        PLACEMENTS.length};

    private final List<int[]> rows = PairwiseCover.of(LEVELS, PairwiseCoverTest::isAllowed, SEED);

    /** Traces have four choices a token. */
    private static boolean isAllowed(final int[] row)
    {
        return row[TRACE] < 0 || null == TRACES[row[TRACE]] || row[TOPK] < TRACE_TOPK;
    }

    List<Scenario> scenarios()
    {
        System.out.println("pairwise cover: " + rows.size() + " worlds");
        return rows.stream().map(PairwiseCoverTest::scenario).toList();
    }

    private static Scenario scenario(final int[] row)
    {
        final Scenario scenario = new Scenario(SEED);
        scenario.nodes = WORLDS[row[WORLD]][0];
        scenario.ranksPerNode = WORLDS[row[WORLD]][1];
        RoutingTrace.set(scenario, TRACES[row[TRACE]]);
        scenario.experts = null == scenario.trace ? 37 : RoutingTrace.load(scenario.trace).experts();
        scenario.channels = 1 + row[CHANNELS];
        scenario.topk = 1 + row[TOPK];
        scenario.hidden = HIDDENS[row[HIDDEN]];
        scenario.biases = row[BIASES];
        scenario.isFp8 = 1 == row[FP8];
        scenario.layout = OutputLayout.values()[row[LAYOUT]];
        scenario.alignment = 1 == row[LAYOUT] ? 4 : 1;
        scenario.outCredit = 0 == row[OUT_CREDIT] ? "push" : "pull";
        scenario.upCredit = 0 == row[UP_CREDIT] ? "push" : "pull";
        scenario.isWireF32 = 1 == row[WIRE];
        scenario.isWeighted = 1 == row[WEIGHTS];
        scenario.placement = PLACEMENTS[row[PLACEMENT]];
        setRings(scenario, 1 == row[RINGS]);
        setTokens(scenario, row[POPULATION]);
        return scenario.staged(1 == row[STAGING], LoopbackNetwork.DEVICE);
    }

    /** The smallest legal ring holds chunk + credit batch − 1 rows. */
    private static void setRings(final Scenario scenario, final boolean isRoomy)
    {
        scenario.outChunk = isRoomy ? 4 : 2;
        scenario.outBatch = isRoomy ? 2 : 3;
        scenario.outRing = isRoomy ? 12 : 4;
        scenario.upChunk = isRoomy ? 2 : 1;
        scenario.upBatch = 2;
        scenario.upRing = isRoomy ? 8 : 2;
    }

    /** 0: all ranks have tokens; 1: some have none; 2: some have only tokens without a choice; 3: nobody chooses. */
    private static void setTokens(final Scenario scenario, final int population)
    {
        scenario.missing = 3 == population ? 1 : 0.05;
        scenario.isMissingOnOddRanks = 2 == population;
        scenario.tokens = new int[scenario.ranks()];
        for (int rank = 0; rank < scenario.tokens.length; rank++)
        {
            scenario.tokens[rank] = 1 == population && rank % 3 == scenario.channels % 3 ? 0 : 9 + 5 * (rank % 3);
        }
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void shouldAgreeWithTheReference(final Scenario scenario)
    {
        try (LoopbackWorld world = new LoopbackWorld(scenario, 7))
        {
            world.runAndVerifyRepeated();
        }
    }

    @Test
    void shouldCoverEveryPairOfValues()
    {
        for (int a = 0; a < LEVELS.length; a++)
        {
            for (int b = a + 1; b < LEVELS.length; b++)
            {
                for (int i = 0; i < LEVELS[a] * LEVELS[b]; i++)
                {
                    final int[] pair = {a, i / LEVELS[b], b, i % LEVELS[b]};
                    final boolean isBeyondTrace =
                        TRACE == a && TOPK == b && null != TRACES[pair[1]] && pair[3] >= TRACE_TOPK;
                    assertTrue(isBeyondTrace || rows.stream().anyMatch(
                        (row) -> row[pair[0]] == pair[1] && row[pair[2]] == pair[3]),
                        () -> "no world has value " + pair[1] + " of factor " + pair[0] + " and value " + pair[3] +
                        " of factor " + pair[2]);
                }
            }
        }
    }
}
