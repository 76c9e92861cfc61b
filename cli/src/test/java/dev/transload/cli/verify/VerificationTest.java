/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.Refusals;
import dev.transload.cli.input.RunInput;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.DispatchLayout;
import dev.transload.engine.EngineConfig;
import dev.transload.reference.Bf16;
import dev.transload.reference.ReferenceCombine;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerificationTest
{
    @ParameterizedTest
    @CsvSource({ "bf16, rank-major", "bf16, expert-major", "fp8, rank-major", "fp8, expert-major" })
    void shouldAcceptWhatTheReferenceSays(final String dtype, final String order)
    {
        final EngineConfig config = config(order);
        for (int rank = 0; rank < 4; rank++)
        {
            final Expectation expectation = expectation(SentRows.input(dtype), rank, config);

            assertNull(verify(expectation, SentRows.outputs(expectation, config)));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "corrupt-row, bf16, rank-major", "corrupt-row, fp8, expert-major", "swap-rows, bf16, expert-major",
        "swap-rows, fp8, rank-major", "drop-row, bf16, rank-major", "drop-row, fp8, expert-major" })
    void shouldNameTheRowThatAnInjectionSpoiled(final String injection, final String dtype, final String order)
    {
        final EngineConfig config = config(order);
        final RunInput input = SentRows.input(dtype);
        final int target = Injection.target(input);
        final Expectation expectation = expectation(input, target, config);
        final Outputs spoiled =
            Injection.named(injection).spoil(expectation, SentRows.outputs(expectation, config));

        final String failure = verify(expectation, spoiled);
        assertNotNull(failure);
        assertTrue(failure.matches("rank " + target + ", row \\d+ \\(from rank \\d, token \\d+\\).*"), failure);
    }

    @Test
    void shouldSpoilOneRankOnly()
    {
        final EngineConfig config = config("rank-major");
        final RunInput input = SentRows.input("bf16");
        final Expectation other = expectation(input, Injection.target(input) + 1, config);
        final Outputs outputs = Injection.CORRUPT_ROW.spoil(other, SentRows.outputs(other, config));

        assertNull(verify(other, outputs));
    }

    @Test
    void shouldSeeEveryKindOfDifference()
    {
        final EngineConfig config = config("rank-major");
        final Expectation expectation = expectation(SentRows.input("fp8"), 1, config);

        assertDifference(expectation, config, "recv_src_token_idx",
            (outputs) -> flip(HostRows.row(outputs.received().srcTokenIdx(), 2)));
        assertDifference(expectation, config, "recv_topk_idx",
            (outputs) -> flip(HostRows.row(outputs.received().topkIdx(), 2)));
        assertDifference(expectation, config, "recv_topk_weights",
            (outputs) -> flip(HostRows.row(outputs.received().topkWeights(), 2)));
        assertDifference(expectation, config, "recv_x[0]",
            (outputs) -> flip(HostRows.row(outputs.received().x(), 2)));
        assertDifference(expectation, config, "recv_x_scales[0]",
            (outputs) -> flip(HostRows.row(outputs.received().xScales(), 2)));
        assertDifference(expectation, config, "recv_rank_prefix_sum[3]", (outputs) -> outputs.rankPrefixSum()[3]++);
        assertDifference(expectation, config, "recv_num_tokens_per_expert[1]",
            (outputs) -> outputs.rowsPerExpert()[1]--);
        assertDifference(expectation, config, "token 4: combined_x[0]",
            (outputs) -> flip(HostRows.row(outputs.combined(), 4)));
        assertDifference(expectation, config, "token 4: combined_topk_weights[0]",
            (outputs) -> flip(HostRows.row(outputs.combinedWeights(), 4)));
    }

    /** With equal answers of all experts it would be the same sum. */
    @ParameterizedTest
    @CsvSource({ "rank-major, distinct, true", "expert-major, distinct, true", "rank-major, echo, false",
        "expert-major, echo, false" })
    void shouldSeeAnAnswerOfAnotherExpert(final String order, final String answers, final boolean isSeen)
    {
        final RunInput input = SentRows.input("bf16");
        final int rank = 1;
        final ExpertAnswers experts = new ExpertAnswers(answers, input.world().experts(), input.hidden());
        final Expectation expectation = new Expectation(input, rank, config(order), experts);
        final Outputs outputs = SentRows.outputs(expectation, config(order));
        assertNull(verify(expectation, outputs));

        final int token = 3;
        final int wrong = (int)(input.world().routing(rank).expert(token, 0) + 1) % input.world().experts();
        final ReferenceCombine combine = new ReferenceCombine(input.world(), input.hidden(), false);
        final ReferenceCombine.ExpertAnswers mistaken = (from, of, k, into) ->
            answer(input, rank, of, experts, 0 == k ? wrong : (int)input.world().routing(rank).expert(of, k), into);
        final ReferenceCombine.Answers ofRanks = "expert-major".equals(order) ?
            combine.summingExperts(rank, mistaken) : (from, of, into) ->
            {
                final short[] mark = new short[into.length];
                for (int k = 0; k < input.topk(); k++)
                {
                    if (input.world().isOn(rank, of, k, from))
                    {
                        experts.mark(0 == k ? wrong : (int)input.world().routing(rank).expert(of, k), mark);
                    }
                }

                input.rows().bf16(rank, of, into);
                experts.answer(into, mark);
            };
        HostRows.row(outputs.combined(), token).asShortBuffer().put(combine.row(rank, token, ofRanks, List.of()));
        final String failure = verify(expectation, outputs);

        assertEquals(isSeen, null != failure);
        assertTrue(!isSeen || failure.startsWith("rank 1, token 3: combined_x["), failure);
    }

    /** Zeroes, subnormal and infinite elements and NaN get answers that sums can show. */
    @Test
    void shouldAnswerWithNormalNumbersOnly()
    {
        final ExpertAnswers experts = new ExpertAnswers(ExpertAnswers.DISTINCT, 2, 8);
        final short[] plain = { 0, (short)0x8000, 1, 0x7F80, (short)0xFF80, 0x7FC0, 0x3F80, (short)0xC123 };
        final short[] negated = plain.clone();
        for (int i = 0; i < plain.length; i++)
        {
            negated[i] ^= (short)0x8000;
        }

        final short[] mark = new short[plain.length];
        experts.mark(1, mark);
        experts.answer(plain, mark);
        experts.answer(negated, mark);
        for (int i = 0; i < plain.length; i++)
        {
            final float answer = Bf16.toFloat(plain[i]);
            assertTrue(Math.abs(answer) >= Float.MIN_NORMAL && Math.abs(answer) < Float.POSITIVE_INFINITY);
            assertEquals(-answer, Bf16.toFloat(negated[i]));
        }
    }

    @Test
    void shouldCompareLayouts()
    {
        final Expectation expectation = expectation(SentRows.input("bf16"), 2, config("rank-major"));
        final int[] perRank = expectation.layout().tokensPerRank().clone();
        final boolean[][] inRank = expectation.layout().tokenInRank();

        assertNull(Verification.ofLayout(expectation, layout(expectation, perRank, inRank)));
        perRank[3]++;
        final String failure = Verification.ofLayout(expectation, layout(expectation, perRank, inRank));
        assertTrue(failure.startsWith("rank 2: num_tokens_per_rank[3] is " + perRank[3]), failure);
    }

    @Test
    void shouldRefuseInjectionsThatAreNone()
    {
        Refusals.assertRefused(ExitCodes.BAD_INPUT, () -> Injection.named("drop-table"), "drop-table", "drop-row");
        assertEquals(Injection.SWAP_ROWS, Injection.named("swap-rows"));
    }

    private static void assertDifference(
        final Expectation expectation,
        final EngineConfig config,
        final String named,
        final java.util.function.Consumer<Outputs> change)
    {
        final Outputs outputs = SentRows.outputs(expectation, config);
        change.accept(outputs);
        final String failure = verify(expectation, outputs);

        assertNotNull(failure, named);
        assertTrue(failure.contains(named), failure);
    }

    private static void flip(final ByteBuffer row)
    {
        row.put(0, (byte)(row.get(0) ^ 1));
    }

    private static DispatchLayout layout(
        final Expectation expectation, final int[] perRank, final boolean[][] inRank)
    {
        return new DispatchLayout(
            perRank, expectation.layout().tokensPerNode(), expectation.layout().tokensPerExpert(), inRank);
    }

    private static Expectation expectation(final RunInput input, final int rank, final EngineConfig config)
    {
        return new Expectation(input, rank, config,
            new ExpertAnswers(ExpertAnswers.DISTINCT, input.world().experts(), input.hidden()));
    }

    private static void answer(
        final RunInput input, final int rank, final int token, final ExpertAnswers experts, final int expert,
        final short[] into)
    {
        final short[] mark = new short[into.length];
        experts.mark(expert, mark);
        input.rows().bf16(rank, token, into);
        experts.answer(into, mark);
    }

    private static String verify(final Expectation expectation, final Outputs outputs)
    {
        return Verification.of(expectation, outputs, Progress.NONE);
    }

    private static EngineConfig config(final String order)
    {
        return Settings.load(null, Map.of(), Map.of("transload.nodes", "2", "transload.ranks-per-node", "2",
            "transload.dispatch.output", order, "transload.dispatch.expert-alignment", "4"), Map.of()).engine();
    }
}
