/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.RecordedScenario.Fabric;
import dev.transload.engine.RecordedScenario.Output;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The scenarios whose outputs are recorded, by number. First routing traces and test vectors, each in both layouts and
 * placements; then the rows of a pairwise cover; then random rows, until there are {@link #COUNT}. A scenario's seed is
 * its number. Where a setting leaves the engine, its factor stays, without effect: other factors would take other
 * values without it.
 */
final class RecordedScenarios
{
    static final int COUNT = 300;

    private static final String[] TRACES = {"layer00", "layer12", "layer23"};
    private static final int TRACE_TOPK = 4;
    private static final List<Fabric> WHOLE_TRACE_FABRICS =
        List.of(Fabric.LOOPBACK, Fabric.LOOPBACK_STAGED, Fabric.THREADS);
    private static final String[] PLACEMENTS = {"direct", "ring", "mixed"};
    private static final int[][] WORLDS = {
        {1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 1}, {2, 2}, {3, 1}, {2, 3}, {3, 2}, {4, 1}, {2, 4}, {3, 3}};
    private static final int[] TOPKS = {1, 2, 3, 4, 6, 8};
    private static final int[] BF16_HIDDENS = {8, 40, 136};
    private static final int[] FP8_HIDDENS = {128, 384};
    private static final int[] ALIGNMENTS = {1, 3, 16};
    private static final int MANY_EXPERTS = 37;
    private static final int MOST_RANKS_WITH_THREADS = 4;
    private static final int POPULATIONS = 8;

    private static final int WORLD = 0;
    private static final int POPULATION = 1;
    private static final int TOPK = 2;
    private static final int EXPERTS = 3;
    private static final int ROWS = 4;
    private static final int LAYOUT = 5;
    private static final int ALIGNMENT = 6;
    private static final int BIASES = 7;
    private static final int WIRE = 8;
    private static final int WEIGHTS = 9;
    private static final int OUTPUT = 10;
    private static final int PLACEMENT = 11;
    private static final int FABRIC = 12;
    private static final int TOPK_PLACE = 13;
    private static final int CHANNELS = 14;
    private static final int RINGS = 15;
    private static final int OUT_CREDIT = 16;
    private static final int UP_CREDIT = 17;
    private static final int SENDERS = 18;
    private static final int PACKING = 19;
    private static final int[] LEVELS = {
        WORLDS.length, POPULATIONS, TOPKS.length, 3, BF16_HIDDENS.length + FP8_HIDDENS.length, 2, ALIGNMENTS.length,
        3, 2, 5, Output.values().length, PLACEMENTS.length, Fabric.values().length, 2, 4, 2, 2, 2, 3, 2};

    private RecordedScenarios()
    {
    }

    static List<RecordedScenario> all()
    {
        final List<RecordedScenario> scenarios = new ArrayList<>();
        addTraces(scenarios);
        addVectors(scenarios);
        PairwiseCover.of(LEVELS, RecordedScenarios::isAllowed, 1)
            .forEach((row) -> scenarios.add(scenario(scenarios.size() + 1, row)));
        while (scenarios.size() < COUNT)
        {
            final int number = scenarios.size() + 1;
            scenarios.add(scenario(number, randomRow(new SplittableRandom(number))));
        }

        return scenarios;
    }

    /** Worlds of at least three ranks: the cover has enough of the smaller ones. */
    private static int[] randomRow(final SplittableRandom random)
    {
        final int[] row = new int[LEVELS.length];
        do
        {
            Arrays.setAll(row, (factor) -> random.nextInt(LEVELS[factor]));
        }
        while (row[WORLD] < 2 || 4 == row[WORLD] || !isAllowed(row));
        return row;
    }

    /** All rows of each trace, four ranks; numbered from {@link #COUNT} on. */
    static List<RecordedScenario> wholeTraces()
    {
        final List<RecordedScenario> scenarios = new ArrayList<>();
        for (final String trace : TRACES)
        {
            final int[] row = row(scenarios.size());
            row[WORLD] = 5;
            row[POPULATION] = 0;
            row[LAYOUT] = scenarios.size() % 2;
            row[RINGS] = 1;
            row[FABRIC] = WHOLE_TRACE_FABRICS.get(scenarios.size()).ordinal();
            final RecordedScenario recorded = scenario(COUNT + 1 + scenarios.size(), row);
            final Scenario scenario = recorded.scenario();
            final int rows = RoutingTrace.load(trace).size();
            setTrace(scenario, trace);
            scenario.missing = 0;
            scenario.traceStride = (rows + scenario.ranks() - 1) / scenario.ranks();
            Arrays.fill(scenario.tokens, scenario.traceStride);
            scenario.tokens[scenario.ranks() - 1] = rows - (scenario.ranks() - 1) * scenario.traceStride;
            scenarios.add(recorded);
        }

        return scenarios;
    }

    private static void addTraces(final List<RecordedScenario> scenarios)
    {
        for (final String trace : TRACES)
        {
            for (int i = 0; i < 8; i++)
            {
                final int[] row = row(scenarios.size());
                row[WORLD] = new int[]{2, 5, 10, 8}[scenarios.size() % 4];
                row[POPULATION] = 0;
                row[ROWS] = 0 == (i & 1) ? 1 : BF16_HIDDENS.length;
                row[LAYOUT] = i >> 1 & 1;
                row[PLACEMENT] = i >> 2;
                final RecordedScenario recorded = allowed(scenarios.size() + 1, row);
                setTrace(recorded.scenario(), trace);
                Arrays.setAll(recorded.scenario().tokens, (rank) -> 24 + 5 * (rank % 3));
                scenarios.add(recorded);
            }
        }
    }

    private static void setTrace(final Scenario scenario, final String trace)
    {
        RoutingTrace.set(scenario, trace);
        scenario.topk = TRACE_TOPK;
        scenario.experts = RoutingTrace.load(trace).experts();
    }

    private static void addVectors(final List<RecordedScenario> scenarios)
    {
        for (int i = 0; i < 32; i++)
        {
            final int[] row = row(scenarios.size());
            row[LAYOUT] = i & 1;
            row[PLACEMENT] = i >> 1 & 1;
            row[POPULATION] = 0;
            row[ROWS] = 0;
            final VectorInputs vectors = i < 16 ? VectorInputs.COMBINE : i < 20 ? VectorInputs.WEIGHTED_SUM :
                i < 24 || i > 27 ? VectorInputs.FP8 : VectorInputs.FP8_POWER_OF_TWO;
            if (VectorInputs.COMBINE == vectors)
            {
                // As recorded in the file: bare, with two biases, with partial sums of F32, and of one node alone.
                row[BIASES] = 1 == i >> 2 ? 2 : 0;
                row[WIRE] = 2 == i >> 2 ? 1 : 0;
                row[WORLD] = 3 == i >> 2 ? 2 : 11;
            }
            else
            {
                row[WORLD] = new int[]{2, 5, 8}[i % 3];
            }

            final RecordedScenario recorded = allowed(scenarios.size() + 1, row);
            final Scenario scenario = recorded.scenario();
            if (VectorInputs.COMBINE == vectors)
            {
                scenario.ranksPerNode = 4;
                scenario.topk = scenario.ranks();
                scenario.experts = scenario.ranks();
            }
            else if (VectorInputs.WEIGHTED_SUM == vectors)
            {
                scenario.topk = 8;
                scenario.experts = MANY_EXPERTS;
            }

            scenario.isFp8 = i > 23;
            vectors.shape(scenario);
            scenarios.add(recorded);
        }
    }

    /** Values of the factors that a trace or a vector leaves open, each with a period of its own. */
    private static int[] row(final int index)
    {
        final int[] row = new int[LEVELS.length];
        for (int factor = 0; factor < row.length; factor++)
        {
            row[factor] = (index + index / LEVELS[factor] + factor) % LEVELS[factor];
        }

        row[EXPERTS] = 2;
        return row;
    }

    private static RecordedScenario allowed(final int number, final int[] row)
    {
        while (!isAllowed(row))
        {
            row[FABRIC] = (row[FABRIC] + 1) % LEVELS[FABRIC];
        }

        return scenario(number, row);
    }

    /** No crowd of threads. */
    private static boolean isAllowed(final int[] row)
    {
        return row[WORLD] < 0 || row[FABRIC] < 0 || !Fabric.values()[row[FABRIC]].hasThreads() ||
            WORLDS[row[WORLD]][0] * WORLDS[row[WORLD]][1] <= MOST_RANKS_WITH_THREADS;
    }

    /** One a rank; some, which are padded to the next multiple of the ranks; many. */
    private static int experts(final int ranks, final int level)
    {
        return new int[]{ranks, 3 * ranks - 1, MANY_EXPERTS}[level];
    }

    private static RecordedScenario scenario(final int number, final int[] row)
    {
        final Scenario scenario = new Scenario(number);
        scenario.nodes = WORLDS[row[WORLD]][0];
        scenario.ranksPerNode = WORLDS[row[WORLD]][1];
        scenario.experts = experts(scenario.ranks(), row[EXPERTS]);
        scenario.topk = Math.min(TOPKS[row[TOPK]], scenario.experts);
        scenario.isFp8 = row[ROWS] >= BF16_HIDDENS.length;
        scenario.hidden =
            scenario.isFp8 ? FP8_HIDDENS[row[ROWS] - BF16_HIDDENS.length] : BF16_HIDDENS[row[ROWS]];
        scenario.layout = OutputLayout.values()[row[LAYOUT]];
        scenario.alignment = ALIGNMENTS[row[ALIGNMENT]];
        scenario.biases = row[BIASES];
        scenario.isWireF32 = 1 == row[WIRE];
        // Combined as dispatched; others combined; none combined; none dispatched, and others or none combined.
        final boolean hasWeights = row[WEIGHTS] < 3;
        scenario.isWeighted = 2 != row[WEIGHTS] && 4 != row[WEIGHTS];
        scenario.hasOwnWeights = 1 == row[WEIGHTS] || 3 == row[WEIGHTS];
        scenario.placement = PLACEMENTS[row[PLACEMENT]];
        scenario.isTopkOnDevice = 1 == row[TOPK_PLACE];
        scenario.channels = new int[]{1, 2, 3, 5}[row[CHANNELS]];
        scenario.outCredit = 0 == row[OUT_CREDIT] ? "push" : "pull";
        scenario.upCredit = 0 == row[UP_CREDIT] ? "push" : "pull";
        setRings(scenario, 1 == row[RINGS]);
        setTokens(scenario, row[POPULATION]);
        final Fabric fabric = Fabric.values()[row[FABRIC]];
        fabric.writeInto(scenario);
        return new RecordedScenario(number, scenario, fabric, Output.values()[row[OUTPUT]], hasWeights,
            1 + row[SENDERS], 1 == row[PACKING]);
    }

    /** The smallest legal ring holds chunk + credit batch − 1 rows. */
    private static void setRings(final Scenario scenario, final boolean isRoomy)
    {
        scenario.outChunk = isRoomy ? 4 : 2;
        scenario.outBatch = isRoomy ? 2 : 3;
        scenario.outRing = isRoomy ? 12 : 4;
        scenario.upChunk = isRoomy ? 3 : 1;
        scenario.upBatch = 2;
        scenario.upRing = isRoomy ? 8 : 2;
    }

    /**
     * 0: ranks have different numbers of tokens; 1: a third of the ranks has none; 2: odd ranks choose nobody; 3:
     * nobody chooses; 4: most choices are missing, so that tokens go nowhere; 5: every token chooses the same expert;
     * 6: the last rank has one token, nobody else any; 7: nobody has tokens.
     */
    private static void setTokens(final Scenario scenario, final int population)
    {
        final int ranks = scenario.ranks();
        final int shift = (int)(scenario.seed % 13);
        scenario.tokens = new int[ranks];
        Arrays.setAll(scenario.tokens, (rank) -> switch (population)
        {
            case 1 -> rank % 3 == shift % 3 ? 0 : 1 + (7 * rank + shift) % 13;
            case 6 -> ranks - 1 == rank ? 1 : 0;
            case 7 -> 0;
            default -> 1 + (7 * rank + shift) % 13;
        });
        scenario.missing = 3 == population ? 1 : 4 == population ? 0.7 : 0.05;
        scenario.isMissingOnOddRanks = 2 == population;
        scenario.isHot = 5 == population;
    }
}
