/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepKernels;
import dev.transload.kernels.StepMemory;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.transport.nvlink.cuda.CudaStream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Ranks whose token t selects expert t, with weight 1, and whose experts answer with the rows that they got: so a
 * combine gives what was dispatched. All experts have as many rows as there are ranks.
 */
final class StepRanks implements AutoCloseable
{
    static final int TOKENS = 4;
    static final int HIDDEN = 128;
    static final int NUMBER = 3;
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);

    final CudaStepsFixture fixture;
    final List<Rank> ranks = new ArrayList<>();

    /** One of them. */
    final class Rank
    {
        final int rank;
        final MemoryRegion words;
        final MemoryRegion slots;
        final StepOutput output;
        final MemoryRegion x;
        final MemoryRegion ids;
        final MemoryRegion weights;
        final MemoryRegion combined;
        final MemoryRegion leftOut;
        StepSession session;
        StepProgram dispatch;
        StepProgram combine;
        private final StepArguments arguments = new StepArguments();

        Rank(final int rank, final StepShape shape)
        {
            final int places = shape.localExperts() * shape.expertRows();
            final StepMemory memory = steps().memory(shape);
            this.rank = rank;
            words = allocate(memory.wordsBytes());
            slots = allocate(memory.slotsBytes());
            output = new StepOutput(allocate(StepOutput.rowsBytes(places, HIDDEN, null)), allocate(
                StepOutput.infoBytes(places, shape.localExperts() * shape.ranks(), shape.localExperts())));
            x = allocate(TOKENS * HIDDEN * Short.BYTES);
            ids = allocate(TOKENS * Integer.BYTES);
            weights = allocate(TOKENS * Float.BYTES);
            combined = allocate(TOKENS * HIDDEN * Short.BYTES);
            leftOut = allocate(TOKENS);
            final ByteBuffer given = buffer(TOKENS * Integer.BYTES);
            final ByteBuffer factors = buffer(TOKENS * Float.BYTES);
            for (int token = 0; token < TOKENS; token++)
            {
                given.putInt(token);
                factors.putFloat(1);
            }

            fixture.write(ids, 0, given.array());
            fixture.write(weights, 0, factors.array());
        }

        StepKernels steps()
        {
            return fixture.steps(rank);
        }

        MemoryRegion allocate(final long length)
        {
            return fixture.allocate(rank, MemoryKind.CUDA, length);
        }

        void open(final StepShape shape)
        {
            session = steps().open(shape, ranks.stream().map(StepRanks::peer).toList(), null);
            dispatch = session.compile(StepProgram.DISPATCH);
            combine = session.compile(StepProgram.COMBINE);
            for (final Rank other : ranks)
            {
                session.output(other.rank, NUMBER, other.output);
                session.answers(other.rank, NUMBER, other.output.rows());
            }
        }

        StepArguments arguments()
        {
            return arguments.x(x, 0, TOKENS, HIDDEN).ids(ids, 0, Integer.BYTES, 1, TOKENS)
                .bf16(NUMBER, StepPlacement.DIRECT).answers(NUMBER, weights, 0).combined(combined, 0)
                .leftOut(leftOut, 0);
        }

        long submit(final DeviceQueue queue, final StepProgram program)
        {
            final long position = session.submit(queue, program, arguments());
            assertEquals(0, Math.min(0, position), "a submission was refused");
            return position;
        }

        long submit(final StepProgram program)
        {
            return submit(new DeviceQueue(MemoryKind.CUDA, 0, 0), program);
        }

        /** Tokens that tell of a round, a rank and themselves. */
        byte[] tokens(final int round)
        {
            final ByteBuffer tokens = buffer(TOKENS * HIDDEN * Short.BYTES);
            for (int i = 0; i < TOKENS * HIDDEN; i++)
            {
                tokens.putShort((short)(0x3F80 + 16 * round + 4 * rank + i / HIDDEN));
            }

            return tokens.array();
        }

        /** The counts, or the starts, that another rank would tell it in the first call: one row for each expert. */
        void tell(final int from, final boolean isCounts)
        {
            final StepShape shape = shape(ranks.size(), rank, 1, 1);
            final StepWords at = new StepWords(shape);
            final int check = StepWords.check(TOKENS, HIDDEN, false, null, null, StepPlacement.DIRECT);
            for (int local = 0; local < shape.localExperts(); local++)
            {
                final long word = StepWords.word(1, 1, isCounts ? StepWords.countValue(1, check) :
                    StepWords.startValue(rank, NUMBER));
                fixture.write(words, isCounts ? at.counts(1, from, local) : at.starts(1, from, local),
                    buffer(Long.BYTES).putLong(word).array());
            }
        }

        /** Rows of a source that the first expert has, as the output says. */
        int rows(final int source)
        {
            final StepShape shape = shape(ranks.size(), rank, 1, 1);
            final long at = StepOutput.layoutRangeOffset(shape.localExperts() * shape.expertRows()) +
                (long)source * Long.BYTES;
            return buffer(Long.BYTES).put(fixture.read(output.info(), at, Long.BYTES)).getInt(0);
        }

        void fill(final int round)
        {
            fixture.write(x, 0, tokens(round));
            fixture.write(combined, 0, new byte[TOKENS * HIDDEN * Short.BYTES]);
        }

        /** What the combine gave is what was dispatched. */
        void verify(final int round)
        {
            assertEquals(ByteBuffer.wrap(tokens(round)),
                ByteBuffer.wrap(fixture.read(combined, 0, TOKENS * HIDDEN * Short.BYTES)),
                "round " + round + " of rank " + rank);
        }

        void finish()
        {
            await(session.position());
        }

        private void await(final long position)
        {
            final long deadlineNs = System.nanoTime() + DEADLINE_NS;
            while (session.completedPosition() < position)
            {
                session.progress();
                assertEquals(0, Math.max(0, System.nanoTime() - deadlineNs), "rank " + rank + " ends its steps");
                fixture.pump();
            }
        }

        byte[] leftOut()
        {
            return fixture.read(leftOut, 0, TOKENS);
        }
    }

    StepRanks(final int count, final long timeoutNs, final int blocks)
    {
        fixture = new CudaStepsFixture(count, timeoutNs);
        for (int rank = 0; rank < count; rank++)
        {
            ranks.add(new Rank(rank, shape(count, rank, timeoutNs, blocks)));
        }

        ranks.forEach((rank) -> rank.open(shape(count, rank.rank, timeoutNs, blocks)));
    }

    static StepShape shape(final int count, final int rank, final long timeoutNs, final int blocks)
    {
        return StepShape.of(count, rank).maxTokens(TOKENS).maxHidden(HIDDEN).maxExperts(TOKENS).blocks(blocks)
            .timeoutNs(timeoutNs).build();
    }

    static StepPeer peer(final Rank rank)
    {
        return StepPeer.near(rank.words, rank.slots);
    }

    private static ByteBuffer buffer(final int bytes)
    {
        return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
    }

    /** Until a stream is so far. */
    void await(final long value, final CudaStream stream)
    {
        assertEquals(0, stream.await(value, DEADLINE_NS), "a stream stands still");
    }

    void call(final int round)
    {
        ranks.forEach((rank) -> rank.fill(round));
        ranks.forEach((rank) -> rank.submit(rank.dispatch));
        ranks.forEach((rank) -> rank.submit(rank.combine));
        ranks.forEach(Rank::finish);
    }

    void verify(final int round)
    {
        for (final Rank rank : ranks)
        {
            rank.verify(round);
            assertEquals(0, rank.session.status().leftOut(), "left out by rank " + rank.rank);
            assertEquals(Arrays.toString(new byte[TOKENS]), Arrays.toString(rank.leftOut()));
        }
    }

    @Override
    public void close()
    {
        ranks.forEach((rank) -> rank.session.close());
        fixture.close();
    }
}
