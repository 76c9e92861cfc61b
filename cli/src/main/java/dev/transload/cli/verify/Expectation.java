/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import dev.transload.cli.input.RunInput;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.OutputLayout;
import dev.transload.kernels.ElementType;
import dev.transload.reference.ReferenceCombine;
import dev.transload.reference.ReferenceDispatch;
import dev.transload.reference.ReferenceLayout;
import dev.transload.reference.Routing;
import java.util.List;

/** What the reference says that one rank gets, when every expert answers with the row that it was sent. */
public final class Expectation
{
    private final RunInput input;
    private final int rank;
    private final EngineConfig config;
    private final boolean isWeighted;
    private final ReferenceLayout layout;
    private final ReferenceDispatch dispatch;
    private final ReferenceCombine combine;
    private final ReferenceCombine.Answers answers;
    private final short[] answer;
    private int answerToken = -1;

    /**
     * Work it out.
     *
     * @param input  of all ranks.
     * @param rank   in question.
     * @param config of the engine.
     */
    public Expectation(final RunInput input, final int rank, final EngineConfig config)
    {
        this(input, rank, config, true);
    }

    private Expectation(
        final RunInput input, final int rank, final EngineConfig config, final boolean isWeighted)
    {
        this.input = input;
        this.rank = rank;
        this.config = config;
        this.isWeighted = isWeighted;
        final boolean isExpertMajor = isExpertMajor(config);
        this.layout = input.world().layout(rank);
        final ReferenceDispatch delivered = isExpertMajor ?
            input.world().expertMajor(rank, config.expertAlignment()) :
            input.world().rankMajor(rank, config.expertAlignment());
        this.dispatch = isWeighted ? delivered : new ReferenceDispatch(delivered.rows(), delivered.topk(),
            delivered.srcRank(), delivered.srcTokenIdx(), delivered.topkIdx(),
            new float[delivered.topkWeights().length], delivered.rowsPerExpert(), delivered.rankPrefixSum());
        this.combine = new ReferenceCombine(input.world(), input.hidden(), ElementType.F32 == config.combineWire());
        this.answer = new short[input.hidden()];
        this.answers = isExpertMajor ?
            combine.summingExperts(rank, (from, token, k, into) -> answer(token, into)) :
            (from, token, into) -> answer(token, into);
    }

    /**
     * Whether an engine is set to expert-major rows.
     *
     * @param config of the engine.
     * @return true for expert-major.
     */
    public static boolean isExpertMajor(final EngineConfig config)
    {
        return OutputLayout.EXPERT_MAJOR == config.output();
    }

    /**
     * What the rank gets where dispatches bring no weights: the same, but for weights of zero.
     *
     * @return expectation.
     */
    public Expectation withoutWeights()
    {
        return new Expectation(input, rank, config, false);
    }

    /**
     * Rank in question.
     *
     * @return rank.
     */
    public int rank()
    {
        return rank;
    }

    /**
     * Input of all ranks.
     *
     * @return input.
     */
    public RunInput input()
    {
        return input;
    }

    /**
     * Layout of the rank's tokens.
     *
     * @return layout.
     */
    public ReferenceLayout layout()
    {
        return layout;
    }

    /**
     * Rows that the rank receives.
     *
     * @return rows.
     */
    public ReferenceDispatch dispatch()
    {
        return dispatch;
    }

    /**
     * A combined row.
     *
     * @param token of the rank.
     * @return [hidden] BF16.
     */
    public short[] combinedRow(final int token)
    {
        return combine.row(rank, token, answers, List.of());
    }

    /**
     * Combined weights.
     *
     * @return [T·K].
     */
    public float[] combinedWeights()
    {
        final Routing routing = input.world().routing(rank);
        return combine.weights(rank, (from, token, k) ->
            isWeighted && input.world().isOn(rank, token, k, from) ? routing.weight(token, k) : 0.0f);
    }

    /** Several ranks answer with the same row: it is made once. */
    private void answer(final int token, final short[] into)
    {
        if (token != answerToken)
        {
            input.rows().bf16(rank, token, answer);
            answerToken = token;
        }

        System.arraycopy(answer, 0, into, 0, answer.length);
    }
}
