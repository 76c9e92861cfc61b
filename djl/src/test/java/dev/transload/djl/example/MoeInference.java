/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl.example;

import ai.djl.ndarray.NDArray;
import java.util.List;

/** A layer of eight experts over ranks of this JVM, compared with the same layer on one rank. */
public final class MoeInference
{
    private static final int RANKS = 4;
    private static final int TOKENS = 1003;

    private MoeInference()
    {
    }

    private record Errors(double prefill, double decode)
    {
    }

    /**
     * Run both modes and tell how far they are from the dense layer.
     *
     * @param args ranks (4), and tokens of a rank in normal mode (1003).
     */
    public static void main(final String[] args)
    {
        final int ranks = args.length > 0 ? Integer.parseInt(args[0]) : RANKS;
        final int tokens = args.length > 1 ? Integer.parseInt(args[1]) : TOKENS;
        final List<Errors> errors = MoeWorld.run(ranks, (rank, layer, manager) ->
        {
            final DenseLayer dense = new DenseLayer(manager);
            final NDArray many = Experts.tokens(manager, rank, tokens);
            final NDArray few = Experts.tokens(manager, rank, MoeWorld.MAX_TOKENS);
            final float[] prefilled = layer.prefill(many).toFloatArray();
            final float[] decoded = layer.decode(few).toFloatArray();
            return new Errors(
                dense.answers(many, ranks).error(prefilled, 3), dense.answers(few, ranks).error(decoded, 2));
        });
        final double prefill = errors.stream().mapToDouble(Errors::prefill).max().orElseThrow();
        final double decode = errors.stream().mapToDouble(Errors::decode).max().orElseThrow();
        System.out.printf("%d ranks, %d tokens each in normal mode and %d in low latency: errors are at most %.2f " +
            "and %.2f of what rounding to BF16 allows%n", ranks, tokens, MoeWorld.MAX_TOKENS, prefill, decode);
        System.exit(prefill <= 1 && decode <= 1 ? 0 : 1);
    }
}
