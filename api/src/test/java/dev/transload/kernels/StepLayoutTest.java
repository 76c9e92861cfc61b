/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What ranks share lies where native code looks for it, and nothing lies upon anything else. */
class StepLayoutTest
{
    private static final int RANKS = 3;
    private static final StepShape SHAPE = StepShape.of(RANKS, 1).maxTokens(5).maxHidden(256).maxExperts(7).maxTopk(4)
        .blocks(2).build();

    private record Range(long from, long bytes)
    {
    }

    @Test
    void shouldGiveEachWordAndHeaderAPlaceOfItsOwn()
    {
        final StepWords words = new StepWords(SHAPE);
        final StepSlots slots = new StepSlots(SHAPE);
        final List<Range> ranges = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++)
        {
            ranges.add(new Range(words.alive(rank), Long.BYTES));
            for (int call = 6; call < 8; call++)
            {
                ranges.add(new Range(words.ready(call, rank), Long.BYTES));
                for (int i = 0; i < SHAPE.localExperts(); i++)
                {
                    ranges.add(new Range(words.counts(call, rank, i), Long.BYTES));
                    ranges.add(new Range(words.starts(call, rank, i), Long.BYTES));
                }

                for (int i = 0; i < SHAPE.blocks(); i++)
                {
                    ranges.add(new Range(words.done(call, rank, i), Long.BYTES));
                    ranges.add(new Range(words.read(call, rank, i), Long.BYTES));
                }

                for (int i = 0; i < StepWords.CHUNKS; i++)
                {
                    ranges.add(new Range(words.landed(call, rank, i), Long.BYTES));
                    ranges.add(new Range(words.answered(call, rank, i), Long.BYTES));
                }

                for (int i = 0; i < SHAPE.maxTokens(); i++)
                {
                    ranges.add(new Range(slots.header(call, rank, i), slots.headerBytes()));
                }
            }
        }

        assertFill(ranges, slots.controlBytes());
        assertEquals(words.bytes(), slots.header(0, 0, 0));
    }

    @Test
    void shouldGiveEachSlotAPlaceOfItsOwn()
    {
        final StepSlots slots = new StepSlots(SHAPE);
        final List<Range> ranges = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++)
        {
            for (int call = 0; call < 2; call++)
            {
                for (int i = 0; i < SHAPE.maxTokens(); i++)
                {
                    ranges.add(new Range(slots.row(call, rank, i), slots.rowStride()));
                }

                for (int i = 0; i < SHAPE.maxTokens() * SHAPE.localExperts(); i++)
                {
                    ranges.add(new Range(slots.answer(call, rank, i), slots.answerStride()));
                }
            }
        }

        assertFill(ranges, slots.bytes());
    }

    @Test
    void shouldGiveEachPartOfTheSendBlocksAPlaceOfItsOwn()
    {
        final int farRanks = 2;
        final StepSlots slots = new StepSlots(SHAPE);
        final StepSends sends = new StepSends(SHAPE, farRanks);
        final List<Range> control = new ArrayList<>();
        final List<Range> rows = new ArrayList<>();
        for (int far = 0; far < farRanks; far++)
        {
            control.add(new Range(sends.alive(far), Long.BYTES));
            for (int call = 0; call < 2; call++)
            {
                for (int i = 0; i < SHAPE.localExperts(); i++)
                {
                    control.add(new Range(sends.counts(call, far, i), Long.BYTES));
                }

                for (int i = 0; i < StepWords.CHUNKS; i++)
                {
                    control.add(new Range(sends.landed(call, far, i), Long.BYTES));
                    control.add(new Range(sends.answered(call, far, i), Long.BYTES));
                }

                for (int i = 0; i < SHAPE.maxTokens(); i++)
                {
                    control.add(new Range(sends.header(call, far, i), slots.headerBytes()));
                    rows.add(new Range(sends.row(call, far, i), slots.rowStride()));
                }

                for (int i = 0; i < SHAPE.maxTokens() * SHAPE.localExperts(); i++)
                {
                    rows.add(new Range(sends.answer(call, far, i), slots.answerStride()));
                }
            }
        }

        assertFill(control, sends.controlBytes());
        assertFill(rows, sends.rowsBytes());
    }

    /** One behind the other, from 0 to the end. */
    private static void assertFill(final List<Range> ranges, final long bytes)
    {
        ranges.sort((one, other) -> Long.compare(one.from(), other.from()));
        long end = 0;
        for (final Range range : ranges)
        {
            assertEquals(end, range.from());
            assertEquals(0, range.from() % Long.BYTES);
            end += range.bytes();
        }

        assertEquals(bytes, end);
    }

    @Test
    void shouldReadAWordOfItsOwnCallOnly()
    {
        final long call = (1L << StepWords.CALL_BITS) - 1;
        final long word = StepWords.word(StepWords.MAX_GENERATION, call, -5);
        assertEquals(-5, StepWords.value(word));
        assertTrue(StepWords.isOf(word, StepWords.MAX_GENERATION, call));
        assertFalse(StepWords.isOf(word, StepWords.MAX_GENERATION - 1, call));
        assertFalse(StepWords.isOf(word, StepWords.MAX_GENERATION, call + 2));
        assertFalse(StepWords.isOf(0, 1, call + 1), "zeroed memory is a word of the call whose tag wraps to 0");
    }

    @Test
    void shouldTellCallsApart()
    {
        final int check = StepWords.check(8, 256, true, ScaleFormat.AMAX, StepScales.ROWS, StepPlacement.DIRECT);
        assertEquals(check, StepWords.check(8, 256, true, ScaleFormat.AMAX, StepScales.ROWS, StepPlacement.DIRECT));
        assertNotEquals(check, StepWords.check(9, 256, true, ScaleFormat.AMAX, StepScales.ROWS, StepPlacement.DIRECT));
        assertNotEquals(check, StepWords.check(8, 384, true, ScaleFormat.AMAX, StepScales.ROWS, StepPlacement.DIRECT));
        assertNotEquals(check, StepWords.check(8, 256, false, ScaleFormat.AMAX, StepScales.ROWS, StepPlacement.DIRECT));
        assertNotEquals(check,
            StepWords.check(8, 256, true, ScaleFormat.AMAX, StepScales.COLUMNS, StepPlacement.DIRECT));
        assertNotEquals(check, StepWords.check(8, 256, true, ScaleFormat.AMAX, StepScales.ROWS, StepPlacement.SLOTS));
        assertEquals(77, StepWords.countValue(77, check) & 0xFFFF);
        assertEquals(check, StepWords.countValue(77, check) >>> StepWords.COUNT_BITS);
        assertEquals(200, StepWords.startValue(9, 200) >>> StepShape.ROW_BITS);
    }

    @Test
    void shouldRefuseShapesThatCannotBe()
    {
        assertThrows(IllegalArgumentException.class, () -> StepShape.of(0, 0).build());
        assertThrows(IllegalArgumentException.class, () -> StepShape.of(2, 2).build());
        assertThrows(IllegalArgumentException.class, () -> StepShape.of(2, 0).maxHidden(100).build());
        assertThrows(IllegalArgumentException.class, () -> StepShape.of(4096, 0).maxTokens(4096).build());
    }

    @Test
    void shouldShowAnEntryOfTheFifoOnceItIsWhole()
    {
        final ByteBuffer ring = ByteBuffer.allocateDirect(StepFifo.BYTES);
        final StepFifo writer = new StepFifo(ring);
        final StepFifo reader = new StepFifo(ring);
        assertFalse(reader.hasNext());
        for (int i = 0; i < 2 * StepFifo.CAPACITY + 5; i++)
        {
            writer.post(i % 7, StepFifo.ROWS, i / 7, i, 3, StepFifo.MAX_ROW_BYTES - 4 * (i % 7));
            assertTrue(reader.hasNext());
            assertEquals(i % 7, reader.farRank());
            assertEquals(i / 7 % 2, reader.parity());
            assertEquals(StepFifo.ROWS, reader.kind());
            assertEquals(i, reader.first());
            assertEquals(3, reader.count());
            assertEquals(StepFifo.MAX_ROW_BYTES - 4 * (i % 7), reader.rowBytes());
            reader.take();
            assertFalse(reader.hasNext());
            assertFalse(writer.isReleased());
            writer.release(reader.taken());
        }

        assertTrue(writer.isReleased());
        final int at = (int)(reader.taken() % StepFifo.CAPACITY) * StepFifo.ENTRY_BYTES;
        final ByteBuffer half = ByteBuffer.allocateDirect(ring.capacity());
        writer.post(1, StepFifo.COUNTS, 0, 0, 0, Integer.BYTES);
        half.put(0, ring, 0, ring.capacity());
        half.putLong(at + Long.BYTES, 0);
        final StepFifo torn = new StepFifo(half);
        for (int i = 0; i < reader.taken(); i++)
        {
            torn.take();
        }

        assertFalse(torn.hasNext(), "half of an entry");
    }
}
