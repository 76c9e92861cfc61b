/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.verify.ExpertAnswers;
import dev.transload.cli.verify.KeptRows;
import dev.transload.reference.Bf16;
import dev.transload.reference.E4m3;
import dev.transload.reference.Routing;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What one rank must get in one call, by trying every token and choice: dispatch brings each selected row to its
 * expert, in the order of the source's tokens; every expert answers with a function of the BF16 values that it was
 * sent; combine sums the answers of a token, weighted, choices ascending, by {@code acc = fma(w, x, acc)} in F32 from
 * +0, rounded once to BF16. Rows and sums are worked out once, as far as memory allows.
 */
final class CallExpectation
{
    private final CallInput input;
    private final int rank;
    private final int call;
    private final ExpertAnswers experts;
    private final List<List<List<Integer>>> tokens;
    private final KeptRows payload;
    private final KeptRows values;
    private final KeptRows sums;
    private final boolean[] all;

    CallExpectation(final CallInput input, final int rank, final int call, final ExpertAnswers experts)
    {
        this(input, rank, call, experts, new ArrayList<>());
        for (int expert = 0; expert < input.expertsPerRank(); expert++)
        {
            final List<List<Integer>> bySource = new ArrayList<>();
            for (int source = 0; source < input.ranks(); source++)
            {
                bySource.add(tokensFor(rank * input.expertsPerRank() + expert, source));
            }

            tokens.add(bySource);
        }
    }

    private CallExpectation(
        final CallInput input,
        final int rank,
        final int call,
        final ExpertAnswers experts,
        final List<List<List<Integer>>> tokens)
    {
        this.input = input;
        this.rank = rank;
        this.call = call;
        this.experts = experts;
        this.tokens = tokens;
        this.all = new boolean[input.ranks()];
        Arrays.fill(all, true);
        // Of each call there are two, and each keeps rows of three kinds at most.
        final long keptBytes = KeptRows.share(input.ranks()) / input.calls() / 3;
        final int hidden = input.input().hidden();
        final int rows = input.ranks() * input.maxTokens();
        this.values = new KeptRows(rows, hidden * Short.BYTES, keptBytes, this::makeValues);
        this.payload = input.isFp8() ? new KeptRows(
            rows, hidden + hidden / E4m3.GROUP * Float.BYTES, keptBytes, this::makeFp8) : values;
        this.sums = new KeptRows(ownTokens(), hidden * Short.BYTES, keptBytes,
            (token, into) -> into.asShortBuffer().put(combined(token, all)));
    }

    /** Of the same call, where all rows have the other sign. */
    CallExpectation negated()
    {
        return new CallExpectation(input.negated(), rank, call, experts, tokens);
    }

    CallInput input()
    {
        return input;
    }

    int rank()
    {
        return rank;
    }

    int call()
    {
        return call;
    }

    /** T of this rank. */
    int ownTokens()
    {
        return input.tokens(rank, call);
    }

    /** Tokens of a source, counted within the call and ascending, that chose an expert of this rank. */
    List<Integer> tokens(final int localExpert, final int source)
    {
        return tokens.get(localExpert).get(source);
    }

    /** Rows for all experts of this rank. */
    int rows()
    {
        return tokens.stream().flatMap(List::stream).mapToInt(List::size).sum();
    }

    /** Rows for an expert of this rank. */
    int rows(final int localExpert)
    {
        return tokens.get(localExpert).stream().mapToInt(List::size).sum();
    }

    /** A row as it travels: [hidden] BF16; or [hidden] E4M3, and behind it [hidden/128] F32. */
    ByteBuffer payload(final int source, final int token)
    {
        return payload.row(source * input.maxTokens() + token);
    }

    /** What an expert of this rank answers to a row. */
    void answer(final int localExpert, final int source, final int token, final short[] into)
    {
        values.row(source * input.maxTokens() + token).asShortBuffer().get(into);
        answer(rank * input.expertsPerRank() + localExpert, into);
    }

    /** A token of this rank, answered by all that it chose: [hidden] BF16. */
    ByteBuffer combined(final int token)
    {
        return sums.row(token);
    }

    /**
     * A token of this rank, answered.
     *
     * @param token    counted within the call.
     * @param answered by rank, whether its experts count.
     * @return [hidden] BF16.
     */
    short[] combined(final int token, final boolean[] answered)
    {
        final short[] answer = new short[input.input().hidden()];
        final float[] acc = new float[answer.length];
        final Routing routing = input.input().world().routing(rank);
        for (int k = 0; k < routing.topk(); k++)
        {
            final int at = input.first(call) + token;
            final long expert = routing.expert(at, k);
            if (expert >= 0 && answered[(int)(expert / input.expertsPerRank())])
            {
                values.row(rank * input.maxTokens() + token).asShortBuffer().get(answer);
                answer((int)expert, answer);
                final float weight = routing.weight(at, k);
                for (int i = 0; i < acc.length; i++)
                {
                    acc[i] = Math.fma(weight, Bf16.toFloat(answer[i]), acc[i]);
                }
            }
        }

        final short[] rounded = new short[acc.length];
        for (int i = 0; i < acc.length; i++)
        {
            rounded[i] = Bf16.fromFloat(acc[i]);
        }

        return rounded;
    }

    private void answer(final int expert, final short[] row)
    {
        final short[] mark = new short[row.length];
        experts.mark(expert, mark);
        experts.answer(row, mark);
    }

    /** BF16 values as experts see them. */
    private void makeValues(final int index, final ByteBuffer into)
    {
        final short[] row = new short[input.input().hidden()];
        input.input().rows().bf16(index / input.maxTokens(), token(index), row);
        if (input.isFp8())
        {
            final byte[] q = new byte[row.length];
            final float[] scales = new float[row.length / E4m3.GROUP];
            E4m3.quantize(row, q, scales);
            E4m3.dequantize(q, scales, row);
        }

        into.asShortBuffer().put(row);
    }

    private void makeFp8(final int index, final ByteBuffer into)
    {
        final short[] exact = new short[input.input().hidden()];
        final byte[] q = new byte[exact.length];
        final float[] scales = new float[exact.length / E4m3.GROUP];
        input.input().rows().bf16(index / input.maxTokens(), token(index), exact);
        E4m3.quantize(exact, q, scales);
        into.put(q).asFloatBuffer().put(scales);
    }

    /** Its number on its source. */
    private int token(final int index)
    {
        return input.first(call) + index % input.maxTokens();
    }

    private List<Integer> tokensFor(final int expert, final int source)
    {
        final Routing routing = input.input().world().routing(source);
        final int first = input.first(call);
        final List<Integer> found = new ArrayList<>();
        for (int token = 0; token < input.tokens(source, call); token++)
        {
            final int from = (first + token) * routing.topk();
            if (Arrays.stream(routing.idx(), from, from + routing.topk()).anyMatch((chosen) -> chosen == expert))
            {
                found.add(token);
            }
        }

        return found;
    }
}
