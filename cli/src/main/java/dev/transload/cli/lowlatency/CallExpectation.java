/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.reference.Bf16;
import dev.transload.reference.E4m3;
import dev.transload.reference.Routing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What one rank must get in one call, by trying every token and choice: dispatch brings each selected row to its
 * expert, in the order of the source's tokens; every expert answers with the BF16 values that it was sent; combine sums
 * the answers of a token, weighted, choices ascending, by {@code acc = fma(w, x, acc)} in F32 from +0, rounded once to
 * BF16.
 */
final class CallExpectation
{
    private final CallInput input;
    private final int rank;
    private final int call;
    private final List<List<List<Integer>>> tokens = new ArrayList<>();

    CallExpectation(final CallInput input, final int rank, final int call)
    {
        this.input = input;
        this.rank = rank;
        this.call = call;
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

    /** A row as its source has it. */
    void bf16(final int source, final int token, final short[] into)
    {
        input.input().rows().bf16(source, input.first(call) + token, into);
    }

    /** A row as it travels where it is cast. */
    void fp8(final int source, final int token, final byte[] q, final float[] scales)
    {
        final short[] exact = new short[q.length];
        bf16(source, token, exact);
        E4m3.quantize(exact, q, scales);
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
        final short[] answer = answer(token);
        final float[] acc = new float[answer.length];
        final Routing routing = input.input().world().routing(rank);
        for (int k = 0; k < routing.topk(); k++)
        {
            final int at = input.first(call) + token;
            final long expert = routing.expert(at, k);
            if (expert >= 0 && answered[(int)(expert / input.expertsPerRank())])
            {
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

    /** What every expert of a token answers. */
    private short[] answer(final int token)
    {
        final short[] row = new short[input.input().hidden()];
        if (input.isFp8())
        {
            final byte[] q = new byte[row.length];
            final float[] scales = new float[row.length / E4m3.GROUP];
            fp8(rank, token, q, scales);
            E4m3.dequantize(q, scales, row);
        }
        else
        {
            bf16(rank, token, row);
        }

        return row;
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
