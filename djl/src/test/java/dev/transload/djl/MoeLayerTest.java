/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.djl.ndarray.NDArray;
import dev.transload.djl.example.DenseLayer;
import dev.transload.djl.example.Experts;
import dev.transload.djl.example.MoeWorld;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The layer of the example against all experts on one rank. Rows have few bits, so that experts are exact; a number is
 * rounded to BF16 where it leaves an expert, where a rank's two experts are added, and at home, and the answers are
 * those bits. Whatever is rounded where, they are within three such roundings (two in low latency) of the sum in F32.
 */
@Timeout(120)
class MoeLayerTest
{
    private static final int ROUNDS = 2;

    @BeforeAll
    static void shouldHavePyTorch()
    {
        Torch.assumeThere();
    }

    @Test
    void shouldAnswerAsOneRankOverTwo()
    {
        compare(7, 1);
    }

    @Test
    void shouldAnswerAsOneRankOverFour()
    {
        compare(13, 5, 31, 3);
    }

    @Test
    void shouldAnswerWhereARankHasNoTokens()
    {
        compare(0, 9);
        compare(11, 0, 1, 0);
    }

    private static void compare(final int... tokens)
    {
        final int sum = MoeWorld.run(tokens.length, (rank, layer, manager) ->
        {
            final DenseLayer dense = new DenseLayer(manager);
            int answered = 0;
            for (int round = 0; round < ROUNDS; round++)
            {
                final NDArray x = Experts.tokens(manager, 100 * round + rank, tokens[rank]);
                final DenseLayer.Answers expected = dense.answers(x, tokens.length);
                final String where = "rank " + rank + " of " + tokens.length + ", round " + round;
                final float[] prefilled = layer.prefill(x).toFloatArray();
                final float[] decoded = layer.decode(x).toFloatArray();
                assertArrayEquals(expected.prefilled(), prefilled, where + ", normal mode");
                assertArrayEquals(expected.decoded(), decoded, where + ", low latency");
                assertTrue(expected.error(prefilled, 3) <= 1, where);
                assertTrue(expected.error(decoded, 2) <= 1, where);
                answered += prefilled.length / Experts.HIDDEN;
            }

            return answered;
        }).stream().mapToInt(Integer::intValue).sum();
        int all = 0;
        for (final int count : tokens)
        {
            all += ROUNDS * count;
        }

        assertEquals(all, sum);
    }
}
