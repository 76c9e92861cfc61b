/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.ScaleFormat;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepScales;
import dev.transload.kernels.StepShape;
import java.util.BitSet;
import java.util.Random;
import java.util.SplittableRandom;

/** A world of steps, a model and its calls, drawn from a seed or set by hand. */
final class StepScenario
{
    private static final int CALLS_OF_A_TAG = 1 << 20;
    private static final int LAST_CALL_OF_A_TAG = CALLS_OF_A_TAG - 1;
    private static final int GROUP = 128;
    private static final int MORE_TOKENS = 30;

    final long seed;
    int ranks = 2;
    int maxTokens = 4;
    int experts = 4;
    int maxExperts = 4;
    int topk = 2;
    int hidden = GROUP;
    int maxHidden = GROUP;
    int blocks = 1;
    boolean isFp8;
    ScaleFormat format = ScaleFormat.AMAX;
    StepScales scales = StepScales.ROWS;
    StepPlacement placement = StepPlacement.DIRECT;
    double missing = 0.1;
    double wrong;
    boolean isHot;
    boolean isEmptyRank;
    boolean isLongIds = true;
    boolean isRagged;
    int calls = 4;
    /** Which calls have no combine: each third one. */
    boolean isReleasing;
    long firstCall;
    /** By pair of ranks: whether they are far from each other. */
    final BitSet far = new BitSet();
    /** Whether combines are halves that push answers. */
    boolean isPushed;

    StepScenario(final long seed)
    {
        this.seed = seed;
    }

    static StepScenario random(final long seed, final boolean hasAllScales)
    {
        final Random random = new Random(new SplittableRandom(seed).nextLong());
        final StepScenario scenario = new StepScenario(seed);
        scenario.ranks = 1 + random.nextInt(4);
        scenario.maxTokens = 1 + random.nextInt(5);
        scenario.experts = scenario.ranks * (1 + random.nextInt(3)) - random.nextInt(scenario.ranks);
        scenario.maxExperts = scenario.experts + random.nextInt(4);
        scenario.topk = 1 + random.nextInt(Math.min(5, scenario.experts));
        scenario.hidden = GROUP * (1 + random.nextInt(3));
        scenario.maxHidden = scenario.hidden + GROUP * random.nextInt(2);
        scenario.blocks = 1 + random.nextInt(4);
        scenario.isFp8 = 0 == random.nextInt(3);
        scenario.format = random.nextBoolean() ? ScaleFormat.AMAX : ScaleFormat.POWER_OF_TWO;
        scenario.scales = !hasAllScales ? StepScales.ROWS : StepScales.values()[
            random.nextInt(ScaleFormat.AMAX == scenario.format ? 2 : StepScales.values().length)];
        scenario.placement = 0 == random.nextInt(3) ? StepPlacement.SLOTS : StepPlacement.DIRECT;
        scenario.missing = 0 == random.nextInt(6) ? 1.0 : random.nextDouble() * 0.5;
        scenario.wrong = 0 == random.nextInt(3) ? 0.2 : 0;
        scenario.isHot = 0 == random.nextInt(5);
        scenario.isEmptyRank = 0 == random.nextInt(4);
        scenario.isLongIds = random.nextBoolean();
        scenario.isRagged = random.nextBoolean();
        scenario.calls = 2 + random.nextInt(4);
        scenario.isReleasing = 0 == random.nextInt(4);
        scenario.firstCall = random.nextBoolean() ? 0 : LAST_CALL_OF_A_TAG - random.nextInt(4);
        // Enough for several chunks, where rows are copied by chunks.
        scenario.maxTokens += 0 == random.nextInt(6) ? MORE_TOKENS : 0;
        return scenario;
    }

    /** The same with far ranks, and with answers that are pushed. */
    StepScenario withFar(final boolean canPush)
    {
        final Random random = new Random(new SplittableRandom(~seed).nextLong());
        final boolean isAll = 0 == random.nextInt(4);
        for (int rank = 0; rank < ranks; rank++)
        {
            for (int other = 0; other < rank; other++)
            {
                final boolean isFar = isAll || random.nextBoolean();
                far.set(rank * ranks + other, isFar);
                far.set(other * ranks + rank, isFar);
            }
        }

        isPushed = canPush && StepPlacement.SLOTS == placement && random.nextBoolean();
        return this;
    }

    boolean isFar(final int rank, final int other)
    {
        return far.get(rank * ranks + other);
    }

    int farRanks(final int rank)
    {
        return far.get(rank * ranks, (rank + 1) * ranks).cardinality();
    }

    /** For a session that begins when so many calls have been made. */
    StepShape shape(final int rank, final long timeoutNs, final int callsBefore)
    {
        return StepShape.of(ranks, rank).maxTokens(maxTokens).maxHidden(maxHidden).maxExperts(maxExperts)
            .maxTopk(topk).blocks(blocks).timeoutNs(timeoutNs).firstCall(firstCall + callsBefore).build();
    }

    int localExperts()
    {
        return (experts + ranks - 1) / ranks;
    }

    int expertRows()
    {
        return ranks * maxTokens;
    }

    int places()
    {
        return localExperts() * expertRows();
    }

    /** Of a world. */
    void countIn(final StepCoverage coverage)
    {
        coverage.add(StepCoverage.Event.WORLD);
        coverage.addIf(0 != experts % ranks, StepCoverage.Event.UNEVEN_EXPERTS);
        coverage.addIf(!far.isEmpty(), StepCoverage.Event.FAR_PAIR);
        coverage.addIf(isPushed, StepCoverage.Event.PUSHED);
    }

    /** Whether a call is the first one whose tags have been in use before. */
    boolean isWrap(final int call)
    {
        return 0 == (firstCall + call + 1) % CALLS_OF_A_TAG;
    }

    boolean isReleased(final int call)
    {
        return isReleasing && 1 == call % 3;
    }

    @Override
    public String toString()
    {
        return "seed " + seed + ": P=" + ranks + " M=" + maxTokens + " E=" + experts + "/" + maxExperts + " K=" + topk +
            " H=" + hidden + "/" + maxHidden + " B=" + blocks + (isFp8 ? " fp8 " + format + " " + scales : " bf16") +
            " " + placement + " missing=" + missing + " wrong=" + wrong + (isHot ? " hot" : "") +
            (isEmptyRank ? " empty rank" : "") + (isLongIds ? " I64" : " I32") + (isRagged ? " ragged" : "") +
            " calls=" + calls + (isReleasing ? " releasing" : "") + " first=" + firstCall +
            (far.isEmpty() ? "" : " far=" + far) + (isPushed ? " pushed" : "");
    }
}
