/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepMemory;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepWords;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.PlainRegion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;

/**
 * Two ranks make so many calls that all tags of words come again. In call n, each rank's token goes to the rank that is
 * n bits away, and has n in its first element and weight; so a word or a row of any other call shows.
 */
class TagWrapTest
{
    private static final int CALLS = (1 << StepWords.CALL_BITS) + 3;
    private static final int RANKS = 2;
    private static final int HIDDEN = 128;
    private static final int BF16_SHIFT = 16;
    /** Small numbers, which BF16 has without error. */
    private static final int NUMBERS = 251;

    private static final class Rank
    {
        private final int rank;
        private final RowKernels kernels = new HostRowKernelsProvider().open(0, Map.of());
        private final ListedSteps steps =
            new ListedSteps(kernels, TagWrapTest::allocate, (region) -> {}, SystemNanoClock.INSTANCE);
        private final StepShape shape;
        private final MemoryRegion words;
        private final MemoryRegion slots;
        private final StepOutput output;
        private final MemoryRegion answers = allocate(2L * RANKS * HIDDEN * Short.BYTES);
        private final MemoryRegion x = allocate(HIDDEN * Short.BYTES);
        private final MemoryRegion ids = allocate(Long.BYTES);
        private final MemoryRegion weights = allocate(Float.BYTES);
        private final MemoryRegion combined = allocate(HIDDEN * Short.BYTES);
        private final StepArguments arguments = new StepArguments();
        private StepSession session;
        private StepProgram dispatch;
        private StepProgram combine;

        Rank(final int rank)
        {
            this.rank = rank;
            shape = StepShape.of(RANKS, rank).maxTokens(1).maxHidden(HIDDEN).maxExperts(RANKS).maxTopk(1).build();
            final StepMemory memory = steps.memory(shape);
            words = allocate(memory.wordsBytes());
            slots = allocate(memory.slotsBytes());
            output = new StepOutput(allocate(StepOutput.rowsBytes(RANKS, HIDDEN, null)),
                allocate(StepOutput.infoBytes(RANKS, RANKS, 1)));
        }

        void open(final List<Rank> ranks)
        {
            final List<StepPeer> peers = new ArrayList<>();
            ranks.forEach((other) -> peers.add(StepPeer.near(other.words, other.slots)));
            session = steps.open(shape, peers, null);
            ranks.forEach((other) ->
            {
                session.output(other.rank, 0, other.output);
                session.answers(other.rank, 0, other.answers);
            });
            dispatch = session.compile(StepProgram.DISPATCH);
            combine = session.compile(StepProgram.COMBINE);
            arguments.x(x, 0, 1, HIDDEN).ids(ids, 0, Long.BYTES, 1, RANKS).bf16(0, StepPlacement.DIRECT)
                .answers(0, weights, 0).combined(combined, 0);
        }

        void dispatch(final int call)
        {
            UnsafeApi.putShort(x.address(), bf16(token(call)));
            UnsafeApi.putLong(ids.address(), target(rank, call));
            UnsafeApi.putFloat(weights.address(), 1 + call % 2);
            submit(dispatch);
        }

        void combine()
        {
            submit(combine);
        }

        private void submit(final StepProgram program)
        {
            assertTrue(session.submit(new DeviceQueue(MemoryKind.HOST, 0, 0), program, arguments) > 0);
        }

        /** The only row, of the rank that sends it here; its answer is one more. */
        void answer(final int call)
        {
            final int source = target(rank, call);
            assertEquals(1, UnsafeApi.getInt(output.info().address() + StepOutput.countOffset(RANKS, RANKS)));
            assertEquals(1L, UnsafeApi.getLong(output.info().address() +
                StepOutput.layoutRangeOffset(RANKS) + (long)source * Long.BYTES));
            assertEquals(bf16(token(call)), UnsafeApi.getShort(output.rows().address()));
            UnsafeApi.putShort(answers.address(), bf16(token(call) + 1));
        }

        void verifySum(final int call)
        {
            assertEquals(bf16((token(call) + 1) * (1 + call % 2)), UnsafeApi.getShort(combined.address()));
            assertEquals(0, session.status().leftOut());
        }
    }

    private static MemoryRegion allocate(final long bytes)
    {
        return PlainRegion.host(ByteBuffer.allocate((int)bytes).array());
    }

    private static int token(final int call)
    {
        return call % (NUMBERS / 2);
    }

    private static int target(final int rank, final int call)
    {
        return rank ^ call % RANKS;
    }

    private static short bf16(final int number)
    {
        return (short)(Float.floatToRawIntBits(number) >>> BF16_SHIFT);
    }

    @Test
    void shouldReadNoWordOfACallWithTheSameTag()
    {
        final List<Rank> ranks = List.of(new Rank(0), new Rank(1));
        ranks.forEach((rank) -> rank.open(ranks));
        for (int call = 1; call <= CALLS; call++)
        {
            for (int i = 0; i < RANKS; i++)
            {
                // Whoever begins has to wait for the other one, however often it looks.
                final Rank first = ranks.get((call + i) % RANKS);
                first.dispatch(call);
                while (0 == i && first.session.progress() > 0)
                {
                    assertTrue(first.session.completedPosition() < first.session.position(), "a step waits for nobody");
                }
            }

            finish(ranks);
            for (final Rank rank : ranks)
            {
                rank.answer(call);
            }

            ranks.forEach(Rank::combine);
            finish(ranks);
            for (final Rank rank : ranks)
            {
                rank.verifySum(call);
            }
        }

        for (final Rank rank : ranks)
        {
            assertEquals(CALLS, rank.session.status().call());
            assertTrue(rank.session.status().isActive(0) && rank.session.status().isActive(1));
            rank.session.close();
            rank.kernels.close();
        }
    }

    private static void finish(final List<Rank> ranks)
    {
        for (boolean isDone = false; !isDone;)
        {
            isDone = true;
            for (final Rank rank : ranks)
            {
                rank.session.progress();
                isDone &= rank.session.completedPosition() == rank.session.position();
            }
        }
    }
}
