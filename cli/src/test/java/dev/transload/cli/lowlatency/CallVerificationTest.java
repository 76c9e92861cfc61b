/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.Refusals;
import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.verify.ExpertAnswers;
import dev.transload.cli.verify.HostRows;
import dev.transload.cli.verify.Injection;
import dev.transload.engine.WorldConfig;
import dev.transload.reference.Bf16;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallVerificationTest
{
    @Test
    void shouldCutAnInputIntoCalls()
    {
        final CallInput input = SentCalls.input(false);

        assertEquals(3, input.calls());
        assertEquals(5, input.tokens(1, 1));
        assertEquals(2, input.tokens(1, 2));
        assertEquals(10, input.first(2));
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldAcceptWhatTheRoutingSays(final boolean isFp8)
    {
        final CallInput input = SentCalls.input(isFp8);
        for (int rank = 0; rank < SentCalls.RANKS; rank++)
        {
            for (int call = 0; call < input.calls(); call++)
            {
                final CallExpectation expectation = SentCalls.expectation(input, rank, call);
                assertNull(verify(
                    expectation, SentCalls.outputs(expectation, SentCalls.all(), SentCalls.all())));
            }
        }
    }

    @Test
    void shouldExpectNothingOfAMaskedRank()
    {
        final boolean[] active = { true, true, false, true };
        final CallExpectation expectation = SentCalls.expectation(SentCalls.input(false), 0, 0);

        assertNull(verify(expectation, SentCalls.outputs(expectation, active, active)));
        final CallOutputs whole = SentCalls.outputs(expectation, SentCalls.all(), SentCalls.all());
        final String received = CallVerification.ofReceived(
            expectation, new CallOutputs(whole.received(), whole.combined(), active, active, whole.lost()));
        assertTrue(received.contains("rows from rank 2 at"), received);
        final String combined = CallVerification.ofCombined(
            expectation, new CallOutputs(whole.received(), whole.combined(), SentCalls.all(), active, whole.lost()));
        assertTrue(combined.contains("combined_x"), combined);
    }

    /** As devices leave it, where the rank is lost after its rows were counted. */
    @Test
    void shouldAcceptAGapForRowsThatAreLost()
    {
        final boolean[] active = { true, false, true, true };
        final CallExpectation expectation = SentCalls.expectation(SentCalls.input(true), 3, 1);
        final int[][] lost = SentCalls.noneLost(expectation);
        int all = 0;
        for (int expert = 0; expert < lost.length; expert++)
        {
            lost[expert][1] = expectation.tokens(expert, 1).size();
            all += lost[expert][1];
        }

        assertTrue(all > 0, "the input must send rows from rank 1 to rank 3");
        final CallOutputs outputs = SentCalls.outputs(expectation, active, active, lost);
        assertNull(verify(expectation, outputs));
        final String unsaid = CallVerification.ofReceived(expectation, new CallOutputs(
            outputs.received(), outputs.combined(), active, active, SentCalls.noneLost(expectation)));
        assertTrue(unsaid.contains("must have"), unsaid);
        lost[0][1]--;
        final String tooFew = CallVerification.ofReceived(
            expectation, SentCalls.outputs(expectation, active, active, lost));
        assertTrue(tooFew.contains("are said to be lost, must be none or all"), tooFew);
        lost[0][1] = 0;
        lost[0][2] = 1;
        final String takesPart = CallVerification.ofReceived(
            expectation, SentCalls.outputs(expectation, active, active, lost));
        assertTrue(takesPart.contains("since it takes part"), takesPart);
    }

    /** The product of two values that a float holds needs more digits than it has: only fma keeps them all. */
    @Test
    void shouldSumInAscendingOrderWithoutRoundingProducts()
    {
        final CallInput input = SentCalls.input(false);
        final CallExpectation expectation = new CallExpectation(
            input, 1, 1, new ExpertAnswers(ExpertAnswers.ECHO, SentCalls.EXPERTS, SentCalls.HIDDEN));
        final short[] x = new short[SentCalls.HIDDEN];
        input.input().rows().bf16(1, input.first(1) + 3, x);
        final short[] must = new short[x.length];
        for (int i = 0; i < x.length; i++)
        {
            float acc = 0.0f;
            for (int k = 0; k < SentCalls.TOPK; k++)
            {
                final double weight = input.input().world().routing(1).weight(input.first(1) + 3, k);
                acc = (float)(weight * Bf16.toFloat(x[i]) + acc);
            }

            must[i] = Bf16.fromFloat(acc);
        }

        assertArrayEquals(must, expectation.combined(3, SentCalls.all()));
    }

    @ParameterizedTest
    @CsvSource({
        "corrupt-row, false", "corrupt-row, true", "swap-rows, false", "swap-rows, true", "drop-row, false",
        "drop-row, true" })
    void shouldNameTheRowThatAnInjectionSpoiled(final String injection, final boolean isFp8)
    {
        final CallInput input = SentCalls.input(isFp8);
        final int target = RowInjection.target(input);
        for (int rank = 0; rank < SentCalls.RANKS; rank++)
        {
            final CallExpectation expectation = SentCalls.expectation(input, rank, input.calls() - 1);
            final CallOutputs outputs = SentCalls.outputs(expectation, SentCalls.all(), SentCalls.all());
            new RowInjection(Injection.named(injection), expectation).spoil(outputs);
            final String failure = verify(expectation, outputs);

            if (rank == target)
            {
                assertNotNull(failure);
                assertTrue(failure.matches("rank " + target + ", call 2, expert \\d, row \\d.*"), failure);
            }
            else
            {
                assertNull(failure);
            }
        }
    }

    @Test
    void shouldSeeEveryKindOfDifference()
    {
        assertDifference("recv_src_info is", (outputs) -> flip(outputs.received().srcInfo()));
        assertDifference("recv_x[128]", (outputs) -> outputs.flipBit(0, 0));
        assertDifference("recv_x_scales[1]", (outputs) -> HostRows.flipBit(outputs.received().xScales(), 0));
        assertDifference("recv_count is", (outputs) -> flip(outputs.received().count()));
        assertDifference("recv_layout_range has", (outputs) -> flip(outputs.received().layoutRange()));
        assertDifference("rank 1 at 19, must have", (outputs) ->
            HostRows.row(outputs.received().layoutRange(), 0).putInt(Long.BYTES + Integer.BYTES, 19));
        assertDifference("token 0, call 1: combined_x[128]", (outputs) -> HostRows.flipBit(outputs.combined(), 0));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "200 | 4 | bf16 | hidden = 200", "256 | 40 | bf16 | top-40",
        "256 | 4 | fp8 | F8_E4M3" })
    void shouldRefuseWhatLowLatencyDoesNotCarry(
        final int hidden, final int topk, final String dtype, final String named)
    {
        Refusals.assertRefused(ExitCodes.BAD_INPUT, () -> CallInput.of(InputLoader.load(
            new InputOptions(null, 2, null, 48, topk, hidden, dtype, 5), WorldConfig.of(2, 2)), false, 5),
            "low-latency", named);
    }

    private static void assertDifference(final String named, final Consumer<CallOutputs> change)
    {
        final CallExpectation expectation = SentCalls.expectation(SentCalls.input(true), 1, 1);
        final CallOutputs outputs = SentCalls.outputs(expectation, SentCalls.all(), SentCalls.all());
        change.accept(outputs);
        final String failure = verify(expectation, outputs);

        assertNotNull(failure, named);
        assertTrue(failure.contains(named), failure);
    }

    /** Of the first word of the first row. */
    private static void flip(final dev.transload.engine.Tensor tensor)
    {
        HostRows.row(tensor, 0).putInt(0, HostRows.row(tensor, 0).getInt() ^ 1);
    }

    private static String verify(final CallExpectation expectation, final CallOutputs outputs)
    {
        final String received = CallVerification.ofReceived(expectation, outputs);
        return null == received ? CallVerification.ofCombined(expectation, outputs) : received;
    }
}
