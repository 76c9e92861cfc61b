/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepMemory;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepScales;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSends;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;

/** One rank of a world of steps: its memory, its session, and what it does call by call. */
final class StepRank
{
    /** Outputs of a rank, which its calls take in turn. */
    static final int OUTPUTS = 2;

    private static final short NAN = 0x7FC0;

    final int rank;
    final MemoryRegion words;
    final MemoryRegion slots;
    /** What far ranks write to. */
    final MemoryRegion farWords;
    final MemoryRegion farSlots;
    final StepOutput[] outputs = new StepOutput[OUTPUTS];
    final MemoryRegion answers;
    StepSession session;
    private final int callsBefore;
    private final StepsFixture fixture;
    private final StepScenario scenario;
    private final MemoryRegion x;
    private final MemoryRegion ids;
    private final MemoryRegion weights;
    private final MemoryRegion combined;
    private final MemoryRegion leftOut;
    private final MemoryRegion count;
    private final StepArguments arguments = new StepArguments();
    private List<StepProgram> dispatch;
    private List<StepProgram> combine;
    private StepPosts posts;
    private boolean[] wasActive;
    private boolean hasLostRows;

    StepRank(final StepsFixture fixture, final StepScenario scenario, final int rank, final int callsBefore)
    {
        this.fixture = fixture;
        this.scenario = scenario;
        this.rank = rank;
        this.callsBefore = callsBefore;
        final StepMemory memory = fixture.steps(rank).memory(scenario.shape(rank, fixture.timeoutNs(), callsBefore));
        final int selections = scenario.maxTokens * scenario.topk;
        words = control(memory, memory.wordsBytes());
        slots = rows(memory.slotsBytes());
        final boolean isStaged = scenario.farRanks(rank) > 0 && fixture.farKind(rank) != fixture.rowsKind();
        farWords = isStaged ? fixture.allocate(rank, fixture.farKind(rank), memory.wordsBytes()) : words;
        farSlots = isStaged ? fixture.allocate(rank, fixture.farKind(rank), memory.slotsBytes()) : slots;
        for (int i = 0; i < OUTPUTS; i++)
        {
            outputs[i] = new StepOutput(rows(StepOutput.rowsBytes(
                scenario.places(), scenario.hidden, scenario.isFp8 ? scenario.scales : null)),
                control(memory, StepOutput.infoBytes(scenario.places(), scenario.localExperts() * scenario.ranks,
                scenario.localExperts())));
        }

        answers = rows(2L * scenario.places() * scenario.hidden);
        x = rows(2L * scenario.maxTokens * scenario.hidden);
        combined = rows(2L * scenario.maxTokens * scenario.hidden);
        ids = control(memory, (long)selections * Long.BYTES);
        weights = control(memory, (long)selections * Float.BYTES);
        leftOut = control(memory, selections);
        count = control(memory, Integer.BYTES);
    }

    private MemoryRegion rows(final long length)
    {
        return fixture.allocate(rank, fixture.rowsKind(), length);
    }

    private MemoryRegion control(final StepMemory memory, final long length)
    {
        return fixture.allocate(rank, memory.controlKind(), length);
    }

    /** Once all ranks have memory. */
    void open(final List<StepRank> ranks)
    {
        final List<StepPeer> peers = new ArrayList<>();
        for (final StepRank other : ranks)
        {
            peers.add(peer(other));
        }

        final int far = scenario.farRanks(rank);
        final StepShape shape = scenario.shape(rank, fixture.timeoutNs(), callsBefore);
        final StepSends layout = 0 == far ? null : new StepSends(shape, far);
        final StepSendBlocks sends = 0 == far ? null : new StepSendBlocks(
            fixture.allocate(rank, MemoryKind.HOST, layout.controlBytes()),
            fixture.allocate(rank, fixture.farKind(rank), layout.rowsBytes()));
        session = fixture.steps(rank).open(shape, peers, sends);
        posts = 0 == far ? null : new StepPosts(fixture, shape, layout, sends, session.fifo());
        ranks.forEach(this::learn);
        dispatch = StepPlacement.DIRECT == scenario.placement ?
            List.of(session.compile(0 == far ? StepProgram.DISPATCH : StepProgram.FAR_DISPATCH)) : List.of(
            session.compile(0 == far ? StepProgram.SEND : StepProgram.FAR_SEND), session.compile(StepProgram.RECEIVE));
        combine = scenario.isPushed ?
            List.of(session.compile(StepProgram.ANSWER), session.compile(StepProgram.SUM)) :
            List.of(session.compile(0 == far ? StepProgram.COMBINE : StepProgram.FAR_COMBINE));
    }

    /** Bring what is posted to far ranks a little further; false where nothing was. */
    boolean bring(final List<StepRank> ranks, final Random random)
    {
        return null != posts && posts.bring((far) -> farRank(ranks, far), random);
    }

    /** What its session has posted. */
    StepPosts posts()
    {
        return posts;
    }

    private StepRank farRank(final List<StepRank> ranks, final int index)
    {
        int left = index;
        for (final StepRank other : ranks)
        {
            if (scenario.isFar(rank, other.rank) && 0 == left--)
            {
                return other;
            }
        }

        throw new AssertionError("rank " + rank + " posted for far rank " + index + ", which it does not have");
    }

    /** Where another rank receives and answers. */
    private void learn(final StepRank other)
    {
        if (scenario.isFar(rank, other.rank))
        {
            return;
        }

        for (int i = 0; i < OUTPUTS; i++)
        {
            session.output(other.rank, i, new StepOutput(fixture.reach(rank, other.rank, other.outputs[i].rows()),
                fixture.reach(rank, other.rank, other.outputs[i].info())));
        }

        session.answers(other.rank, other.answersNumber(), fixture.reach(rank, other.rank, other.answers));
    }

    /** Have another rank take part again, whichever process it is by now. */
    void rejoin(final StepRank other, final int generation)
    {
        session.activate(other.rank, peer(other), generation);
        learn(other);
    }

    private StepPeer peer(final StepRank other)
    {
        if (!scenario.isFar(rank, other.rank))
        {
            return StepPeer.near(
                fixture.reach(rank, other.rank, other.words), fixture.reach(rank, other.rank, other.slots));
        }

        final int first = rank * scenario.ranks;
        return new StepPeer(farWords == words ? null : farWords, farSlots == slots ? null : farSlots,
            scenario.far.get(first, first + other.rank).cardinality());
    }

    private int answersNumber()
    {
        return 3 + rank;
    }

    /** Ranks need not use the same numbers. */
    int output(final int call)
    {
        return (call + rank) % OUTPUTS;
    }

    /** Write the inputs of a call, and spoil what it will write. */
    void fill(final StepData data)
    {
        final int tokens = data.tokens[rank];
        for (int token = 0; token < tokens; token++)
        {
            fixture.write(x, 2L * token * scenario.hidden, StepData.bytes(data.x[rank][token]));
        }

        final ByteBuffer given = buffer(data.ids[rank].length * Long.BYTES);
        for (final long id : data.ids[rank])
        {
            if (scenario.isLongIds)
            {
                given.putLong(id);
            }
            else
            {
                given.putInt((int)id);
            }
        }

        fixture.write(ids, 0, Arrays.copyOf(given.array(), given.position()));
        final ByteBuffer factors = buffer(data.weights[rank].length * Float.BYTES);
        factors.asFloatBuffer().put(data.weights[rank]);
        fixture.write(weights, 0, factors.array());
        fixture.write(count, 0, buffer(Integer.BYTES).putInt(0, tokens).array());
    }

    private static ByteBuffer buffer(final int bytes)
    {
        return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
    }

    /** Submit a dispatch; returns its last position. */
    long dispatch(final StepData data, final int call)
    {
        fill(data);
        arguments.x(x, 0, scenario.isRagged ? scenario.maxTokens : data.tokens[rank], scenario.hidden)
            .tokensAt(scenario.isRagged ? count : null, 0)
            .ids(ids, 0, scenario.isLongIds ? Long.BYTES : Integer.BYTES, scenario.topk, scenario.experts)
            .answers(answersNumber(), weights, 0).combined(combined, 0).leftOut(leftOut, 0);
        if (scenario.isFp8)
        {
            arguments.fp8(output(call), scenario.placement, scenario.format, scenario.scales);
        }
        else
        {
            arguments.bf16(output(call), scenario.placement);
        }

        return replayDispatch();
    }

    /** Whether a rank has told this one how many rows it sends in a call. */
    boolean hasCounts(final StepRank source, final int call)
    {
        final StepShape shape = scenario.shape(rank, fixture.timeoutNs(), callsBefore);
        final StepWords layout = new StepWords(shape);
        boolean hasAll = true;
        for (int local = 0; local < shape.localExperts(); local++)
        {
            final long number = shape.firstCall() + 1 + call;
            final long word = ByteBuffer.wrap(fixture.read(words, layout.counts(number, source.rank, local),
                Long.BYTES)).order(ByteOrder.nativeOrder()).getLong();
            hasAll &= StepWords.isOf(word, 1, number);
        }

        return hasAll;
    }

    /** Submit the same dispatch once more. */
    long replayDispatch()
    {
        long position = 0;
        for (final StepProgram program : dispatch)
        {
            position = submit(program);
        }

        return position;
    }

    /** Submit a combine; returns its position. */
    long combine()
    {
        long position = 0;
        for (final StepProgram program : combine)
        {
            position = submit(program);
        }

        return position;
    }

    private long submit(final StepProgram program)
    {
        final long position =
            session.submit(new DeviceQueue(fixture.rowsKind(), 0, 0), program, arguments);
        assertTrue(position > 0, "a submission was refused: " + position);
        return position;
    }

    /** Hold what was received to brute force. */
    void verifyRows(final StepData data, final int call, final String where)
    {
        wasActive = new boolean[scenario.ranks];
        for (int source = 0; source < scenario.ranks; source++)
        {
            wasActive[source] = session.status().isActive(source);
        }

        assertEquals(data.badIds[rank], session.status().badIds(), where + ": bad ids");
        verifyOutput(data, call, where);
    }

    /** As {@link #verifyRows}, by what the status was then. */
    void verifyOutput(final StepData data, final int call, final String where)
    {
        final int ranks = scenario.ranks;
        final int places = scenario.places();
        hasLostRows = false;
        final StepOutput output = outputs[output(call)];
        final ByteBuffer info = ByteBuffer.wrap(fixture.read(output.info(), 0, (int)output.info().length()))
            .order(ByteOrder.nativeOrder());
        for (int local = 0; local < scenario.localExperts(); local++)
        {
            final String at = where + ", local expert " + local;
            int begin = 0;
            for (int source = 0; source < ranks; source++)
            {
                final List<StepData.Row> rows = data.rows(rank * scenario.localExperts() + local, source);
                final long range = info.getLong((int)StepOutput.layoutRangeOffset(places) +
                    (local * ranks + source) * Long.BYTES);
                final int next = source + 1 < ranks ? (int)(info.getLong((int)StepOutput.layoutRangeOffset(places) +
                    (local * ranks + source + 1) * Long.BYTES) >>> Integer.SIZE) :
                    info.getInt((int)StepOutput.countOffset(places, scenario.localExperts() * ranks) +
                    local * Integer.BYTES);
                final String of = at + ", source " + source;
                assertEquals(begin, (int)(range >>> Integer.SIZE), of + ": first row");
                assertEquals(wasActive[source] ? rows.size() : 0, (int)range, of + ": rows");
                assertTrue(next - begin == rows.size() || !wasActive[source] && next == begin,
                    of + ": " + (next - begin) + " places for " + rows.size() + " rows");
                hasLostRows |= !wasActive[source] && next > begin;
                for (int i = 0; i < rows.size() && wasActive[source]; i++)
                {
                    verifyRow(data, rows.get(i), output, info, local * scenario.expertRows() + begin + i, of);
                }

                begin = next;
            }
        }
    }

    /** Whether rows of a source that was lost kept their places in the output that was verified last. */
    boolean hasLostRows()
    {
        return hasLostRows;
    }

    private void verifyRow(
        final StepData data, final StepData.Row row, final StepOutput output, final ByteBuffer info, final int place,
        final String where)
    {
        final String at = where + ", place " + place;
        assertEquals(row.token(), info.getInt(place * Integer.BYTES), at + ": token");
        final byte[] stored = data.stored(row);
        assertArrayEquals(stored, fixture.read(output.rows(), (long)place * stored.length, stored.length), at);
        if (scenario.isFp8)
        {
            verifyScales(data.scales(row), output, place, at);
        }
    }

    private void verifyScales(
        final float[] expected, final StepOutput output, final int place, final String at)
    {
        final StepScales layout = scenario.scales;
        final int words = layout.words(scenario.hidden);
        final int local = place / scenario.expertRows();
        final int row = place % scenario.expertRows();
        for (int word = 0; word < words; word++)
        {
            final long index = layout.isByColumn() ? ((long)local * words + word) * scenario.expertRows() + row :
                (long)place * words + word;
            final int seen = ByteBuffer.wrap(fixture.read(output.rows(),
                StepOutput.scalesOffset(scenario.places(), scenario.hidden) + index * Integer.BYTES, Integer.BYTES))
                .order(ByteOrder.nativeOrder()).getInt();
            int wanted = Float.floatToRawIntBits(expected[word % expected.length]);
            if (layout.isPacked())
            {
                wanted = 0;
                for (int i = 4 * word; i < Math.min(4 * word + 4, expected.length); i++)
                {
                    wanted |= Math.getExponent(expected[i]) + 127 << 8 * (i % 4);
                }
            }

            assertEquals(wanted, seen, at + ": scale word " + word);
        }
    }

    /** Answers to the rows that came, and NaN in all places where none did. */
    void answer(final StepData data, final int call)
    {
        final short[] none = new short[scenario.hidden];
        Arrays.fill(none, NAN);
        for (int place = 0; place < scenario.places(); place++)
        {
            fixture.write(answers, 2L * place * scenario.hidden, StepData.bytes(none));
        }

        final StepOutput output = outputs[output(call)];
        final ByteBuffer info = ByteBuffer.wrap(fixture.read(output.info(), 0, (int)output.info().length()))
            .order(ByteOrder.nativeOrder());
        for (int local = 0; local < scenario.localExperts(); local++)
        {
            for (int source = 0; source < scenario.ranks; source++)
            {
                final int expert = rank * scenario.localExperts() + local;
                final int begin = (int)(info.getLong((int)StepOutput.layoutRangeOffset(scenario.places()) +
                    (local * scenario.ranks + source) * Long.BYTES) >>> Integer.SIZE);
                final List<StepData.Row> rows = wasActive[source] ? data.rows(expert, source) : List.of();
                for (int i = 0; i < rows.size(); i++)
                {
                    fixture.write(answers, 2L * (local * scenario.expertRows() + begin + i) * scenario.hidden,
                        StepData.bytes(data.answer(expert, rows.get(i))));
                }
            }
        }
    }

    /** Hold sums to brute force. */
    void verifySums(final StepData data, final String where)
    {
        int left = 0;
        for (int token = 0; token < data.tokens[rank]; token++)
        {
            final byte[] flags = fixture.read(leftOut, (long)token * scenario.topk, scenario.topk);
            final IntPredicate isLeftOut = (k) -> 0 != flags[k];
            assertArrayEquals(StepData.bytes(data.combined(rank, token, isLeftOut)),
                fixture.read(combined, 2L * token * scenario.hidden, 2 * scenario.hidden), where + ", token " + token);
            for (int k = 0; k < scenario.topk; k++)
            {
                final int expert = data.expert[rank][token * scenario.topk + k];
                assertTrue(!isLeftOut.test(k) || expert >= 0 &&
                    !session.status().isActive(expert / scenario.localExperts()),
                    where + ", token " + token + ": left out selection " + k + " of an active rank, or of none");
                left += flags[k];
            }
        }

        assertEquals(left, session.status().leftOut(), where + ": left out");
    }
}
