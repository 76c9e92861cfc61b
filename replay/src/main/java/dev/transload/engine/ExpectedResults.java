/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.reference.ReferenceCombine;
import dev.transload.reference.ReferenceDispatch;
import dev.transload.reference.Routing;

/** What every rank of a scenario must get, computed by the reference once. */
final class ExpectedResults
{
    private final WorldData data;
    private final Scenario scenario;
    private final ReferenceDispatch[] dispatches;
    private final short[][] combined;
    private final float[][] combinedWeights;

    ExpectedResults(final WorldData data)
    {
        this.data = data;
        this.scenario = data.scenario;
        final int ranks = scenario.ranks();
        this.dispatches = new ReferenceDispatch[ranks];
        this.combined = new short[ranks][];
        this.combinedWeights = new float[ranks][];
    }

    ReferenceDispatch dispatch(final int rank)
    {
        if (null == dispatches[rank])
        {
            dispatches[rank] = OutputLayout.EXPERT_MAJOR == scenario.layout ?
                data.reference.expertMajor(rank, scenario.alignment) :
                data.reference.rankMajor(rank, scenario.alignment);
        }

        return dispatches[rank];
    }

    short[] combined(final int rank)
    {
        if (null == combined[rank])
        {
            final ReferenceCombine reference = reference();
            final ReferenceCombine.Answers answers = OutputLayout.EXPERT_MAJOR == scenario.layout ?
                reference.summingExperts(rank, (from, token, k, into) ->
                System.arraycopy(data.answer(from, rank, token, k), 0, into, 0, into.length)) :
                (from, token, into) -> System.arraycopy(data.answer(from, rank, token, 0), 0, into, 0, into.length);
            combined[rank] = reference.rows(rank, answers,
                scenario.biases > 0 ? data.bias0[rank] : null, scenario.biases > 1 ? data.bias1[rank] : null);
        }

        return combined[rank];
    }

    float[] combinedWeights(final int rank)
    {
        if (null == combinedWeights[rank])
        {
            final Routing routing = data.routings.get(rank);
            combinedWeights[rank] = reference().weights(rank, (from, token, k) ->
                !hasWeight(from, rank, token, k) ? 0f :
                scenario.hasOwnWeights ? data.answerWeight(from, rank, token, k) : routing.weight(token, k));
        }

        return combinedWeights[rank];
    }

    /** A row of any token has weights of its own for all choices, where it is one for all of them. */
    private boolean hasWeight(final int from, final int rank, final int token, final int k)
    {
        return data.reference.isOn(rank, token, k, from) ||
            scenario.hasOwnWeights && OutputLayout.RANK_MAJOR == scenario.layout;
    }

    private ReferenceCombine reference()
    {
        return new ReferenceCombine(data.reference, scenario.hidden, scenario.isWireF32);
    }
}
