/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import dev.transload.cli.input.RunInput;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.OutputLayout;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.reference.ReferenceCombine;
import dev.transload.reference.ReferenceDispatch;
import dev.transload.reference.ReferenceLayout;
import dev.transload.reference.Routing;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * What the reference says that one rank gets. Rows and sums are worked out once, as far as memory allows, and are the
 * same in each iteration that sends this input.
 */
public final class Expectation
{
    private final RunInput input;
    private final int rank;
    private final EngineConfig config;
    private final ExpertAnswers experts;
    private final ReferenceLayout layout;
    private final ReferenceDispatch dispatch;
    private final ReferenceCombine combine;
    private final ReferenceCombine.Answers answers;
    private final float[] combinedWeights;
    private final int[] firstTokens;
    private final KeptRows payload;
    private final KeptRows sums;
    private final short[] mark;
    private final short[] sent;
    private int sentToken = -1;

    public Expectation(final RunInput input, final int rank, final EngineConfig config, final ExpertAnswers experts)
    {
        this.input = input;
        this.rank = rank;
        this.config = config;
        this.experts = experts;
        this.mark = new short[input.hidden()];
        this.sent = new short[input.hidden()];
        this.combine = new ReferenceCombine(input.world(), input.hidden(), ElementType.F32 == config.combineWire());
        this.answers = isExpertMajor(config) ?
            combine.summingExperts(rank, (from, token, k, into) -> answerOfExpert(token, k, into)) :
            this::answerOfRank;
        this.layout = input.world().layout(rank);
        this.dispatch = isExpertMajor(config) ?
            input.world().expertMajor(rank, config.expertAlignment()) :
            input.world().rankMajor(rank, config.expertAlignment());
        this.firstTokens = firstTokens(input);
        final long keptBytes = KeptRows.share(input.world().ranks());
        this.payload = new KeptRows(input.tokens(), payloadBytes(input), keptBytes / 2, this::makePayload);
        this.sums = new KeptRows(input.world().routing(rank).tokens(), input.hidden() * Short.BYTES,
            keptBytes / 2, (token, into) -> into.asShortBuffer().put(combinedRow(token)));
        final Routing routing = input.world().routing(rank);
        this.combinedWeights = combine.weights(rank, (from, token, k) ->
            input.world().isOn(rank, token, k, from) ? routing.weight(token, k) : 0.0f);
    }

    /** Where the tokens of each rank begin among those of all. */
    private static int[] firstTokens(final RunInput input)
    {
        final int[] first = new int[input.world().ranks()];
        for (int source = 1; source < first.length; source++)
        {
            first[source] = first[source - 1] + input.world().routing(source - 1).tokens();
        }

        return first;
    }

    private static int payloadBytes(final RunInput input)
    {
        return input.isFp8() ?
            input.hidden() + Fp8.scales(input.hidden()) * Float.BYTES : input.hidden() * Short.BYTES;
    }

    /** Whether an engine is set to expert-major rows. */
    public static boolean isExpertMajor(final EngineConfig config)
    {
        return OutputLayout.EXPERT_MAJOR == config.output();
    }

    /** Rank in question. */
    public int rank()
    {
        return rank;
    }

    /** Input of all ranks. */
    public RunInput input()
    {
        return input;
    }

    /** Layout of the rank's tokens. */
    public ReferenceLayout layout()
    {
        return layout;
    }

    /** Rows that the rank receives. */
    public ReferenceDispatch dispatch()
    {
        return dispatch;
    }

    /**
     * Payload of a received row that is no padding.
     *
     * @param row of the dispatch.
     * @return [hidden] BF16; or [hidden] E4M3, and behind it [hidden/128] F32.
     */
    ByteBuffer payload(final int row)
    {
        return payload.row(firstTokens[dispatch.srcRank()[row]] + dispatch.srcTokenIdx()[row]);
    }

    /**
     * A combined row, worked out anew.
     *
     * @param token of the rank.
     * @return [hidden] BF16.
     */
    public short[] combinedRow(final int token)
    {
        return combine.row(rank, token, answers, List.of());
    }

    /**
     * A combined row, worked out once.
     *
     * @param token of the rank.
     * @return [hidden] BF16.
     */
    ByteBuffer combined(final int token)
    {
        return sums.row(token);
    }

    public float[] combinedWeights()
    {
        return combinedWeights;
    }

    /**
     * What is to be combined for a received row: the answer of its experts on this rank.
     *
     * @param row  of the dispatch.
     * @param into [hidden] BF16, filled; zeroes for padding.
     */
    public void answer(final int row, final short[] into)
    {
        if (dispatch.srcRank()[row] < 0)
        {
            Arrays.fill(into, (short)0);
            return;
        }

        Arrays.fill(mark, (short)0);
        for (int k = 0; k < dispatch.topk(); k++)
        {
            final long local = dispatch.topkIdx()[row * dispatch.topk() + k];
            if (local >= 0)
            {
                experts.mark(Math.toIntExact(rank * (long)dispatch.rowsPerExpert().length + local), mark);
            }
        }

        if (input.isFp8())
        {
            input.rows().bf16(dispatch.srcRank()[row], dispatch.srcTokenIdx()[row], into);
        }
        else
        {
            payload(row).asShortBuffer().get(into);
        }

        experts.answer(into, mark);
    }

    private void answerOfRank(final int from, final int token, final short[] into)
    {
        Arrays.fill(mark, (short)0);
        final Routing routing = input.world().routing(rank);
        for (int k = 0; k < routing.topk(); k++)
        {
            if (input.world().isOn(rank, token, k, from))
            {
                experts.mark(Math.toIntExact(routing.expert(token, k)), mark);
            }
        }

        answerOwn(token, into);
    }

    private void answerOfExpert(final int token, final int k, final short[] into)
    {
        Arrays.fill(mark, (short)0);
        experts.mark(Math.toIntExact(input.world().routing(rank).expert(token, k)), mark);
        answerOwn(token, into);
    }

    /** Several ranks and experts are sent the same row: it is made once. */
    private void answerOwn(final int token, final short[] into)
    {
        if (token != sentToken)
        {
            input.rows().bf16(rank, token, sent);
            sentToken = token;
        }

        System.arraycopy(sent, 0, into, 0, sent.length);
        experts.answer(into, mark);
    }

    private void makePayload(final int index, final ByteBuffer into)
    {
        int source = firstTokens.length - 1;
        while (firstTokens[source] > index)
        {
            source--;
        }

        final int token = index - firstTokens[source];
        if (input.isFp8())
        {
            final byte[] q = new byte[input.hidden()];
            final float[] scales = new float[Fp8.scales(q.length)];
            input.rows().fp8(source, token, q, scales);
            into.put(q).asFloatBuffer().put(scales);
            return;
        }

        final short[] row = new short[input.hidden()];
        input.rows().bf16(source, token, row);
        into.asShortBuffer().put(row);
    }
}
