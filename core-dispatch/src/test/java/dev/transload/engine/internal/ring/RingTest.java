/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.internal.wire.Wait;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Both ends of a ring, against a ring whose slots are looked at: calls of any sizes, with some rows put directly. */
class RingTest
{
    private static final int SEEDS = 3000;
    private static final int CALLS = 12;
    private static final int MOST_STEPS = 100_000;

    /** More than an int holds, after three calls. */
    private static final int VERY_MANY_ROWS = 1_500_000_000;

    private int slots;
    private int chunk;
    private int batch;
    private long head;
    private long tail;
    private Returns returns;
    private RingWriter writer;
    private RingReader reader;

    private void open(final int slotCount, final int chunkRows, final int batchRows)
    {
        slots = slotCount;
        chunk = chunkRows;
        batch = batchRows;
        head = 0;
        tail = 0;
        returns = new Returns();
        writer = new RingWriter((needed) -> head, slots);
        reader = new RingReader(returns, slots);
    }

    @Test
    void shouldDeliverRowsOfAllCallsInOrderAndOverwriteNone()
    {
        for (long seed = 1; seed <= SEEDS; seed++)
        {
            final Random random = new Random(new SplittableRandom(seed).nextLong());
            final int chunkRows = 1 + random.nextInt(4);
            final int batchRows = 1 + random.nextInt(4);
            open(chunkRows + batchRows - 1 + random.nextInt(4), chunkRows, batchRows);
            new Run(random, "seed " + seed).run();
        }
    }

    /** A call's rows begin at slot 0 at both ends, and what is skipped of the ring comes back at once. */
    @Test
    void shouldSkipToTheFirstSlotWithEachCall()
    {
        open(5, 2, 4);
        writer.begin();
        reader.begin();
        writer.fill(3);
        tail += writer.tell();
        assertEquals(3, reader.arrived(tail));
        assertEquals(0, reader.consumed(3), "less than a batch");
        writer.begin();
        assertEquals(0, writer.slot(0));
        assertEquals(0, writer.filled());
        assertEquals(0, writer.room(1), "the ring is full until the reader skips, too");
        assertEquals(1, writer.needed());
        reader.begin();
        assertEquals(0, reader.arrived(tail), "rows of the call before are none of this one");
        reader.consumed(0);
        assertEquals(5, head);
        writer.fill(writer.room(5));
        assertEquals(5, writer.filled());
        tail += writer.tell();
        assertEquals(5, reader.arrived(tail));
        assertEquals(10, reader.tail(5));
        assertEquals(10, tail);
    }

    /** Though they are fewer than a batch. */
    @Test
    void shouldGiveBackWhatIsSkippedWithoutWaitingForABatch()
    {
        open(5, 3, 3);
        writer.begin();
        reader.begin();
        reader.consumed(3);
        reader.consumed(4);
        assertEquals(3, head);
        reader.begin();
        assertEquals(1, reader.consumed(0));
        assertEquals(5, head);
        assertEquals(0, reader.consumed(1), "less than a batch, which is not skipped");
    }

    @Test
    void shouldGiveTheSkippedSlotsBackEvenIfThatIsRefusedAtFirst()
    {
        open(4, 1, 4);
        writer.begin();
        reader.begin();
        writer.fill(1);
        tail += writer.tell();
        reader.consumed(1);
        writer.begin();
        reader.begin();
        returns.isRefusing = true;
        assertEquals(0, reader.consumed(0));
        assertEquals(0, head);
        returns.isRefusing = false;
        assertEquals(1, reader.consumed(0));
        assertEquals(4, head);
        assertEquals(4, writer.room(4));
    }

    /** Rows that go to their places take no slots: positions go on all the same, and nothing is given back for them. */
    @Test
    void shouldCountRowsThatTakeNoSlots()
    {
        open(4, 2, 1);
        writer.begin();
        reader.begin();
        writer.fill(1000);
        tail += writer.tell();
        assertEquals(1000, reader.arrived(tail));
        reader.pass(1000);
        assertEquals(0, head);
        assertFalse(writer.isGivenBack());
        writer.begin();
        reader.begin();
        assertEquals(0, writer.room(1));
        assertEquals(1, reader.consumed(0));
        assertEquals(4, writer.room(9), "1000 rows are a multiple of the ring, yet the writer waits for them");
    }

    @Test
    void shouldGiveBackRowsThatWereReadInPlaceAtTheEndOfTheirCall()
    {
        open(4, 2, 3);
        writer.begin();
        reader.begin();
        writer.fill(7);
        assertEquals(7, writer.end());
        reader.pass(7);
        assertFalse(reader.isGivenBack());
        assertFalse(writer.isGivenBack());
        assertEquals(1, reader.giveBackAll());
        assertTrue(reader.isGivenBack());
        assertTrue(writer.isGivenBack());
        assertEquals(0, reader.giveBackAll());
    }

    @Test
    void shouldTellOfTheFirstRowsOfThoseFilled()
    {
        open(8, 2, 1);
        writer.begin();
        writer.fill(6);
        assertEquals(2, writer.tell(2));
        assertEquals(3, writer.tell(5));
        assertEquals(1, writer.tell());
        assertEquals(0, writer.tell());
    }

    @Test
    void shouldGoOnBeyondWhatAnIntHolds()
    {
        open(7, 3, 2);
        for (int i = 0; i < 3; i++)
        {
            writer.begin();
            reader.begin();
            writer.fill(VERY_MANY_ROWS);
            tail += writer.tell();
            assertEquals(VERY_MANY_ROWS, reader.arrived(tail));
            reader.pass(VERY_MANY_ROWS);
            assertEquals(VERY_MANY_ROWS, writer.filled());
        }

        assertTrue(tail > Integer.MAX_VALUE * 2L);
        new Run(new Random(7), "beyond an int").run();
    }

    @Test
    void shouldTakeAPositionOfAnEarlierCallForNothing()
    {
        open(4, 2, 1);
        writer.begin();
        reader.begin();
        writer.fill(4);
        reader.consumedTo(3);
        assertEquals(3, head);
        reader.consumedTo(4);
        writer.begin();
        reader.begin();
        reader.consumedTo(4);
        assertEquals(4, head);
        reader.consumedTo(6);
        assertEquals(6, head);
    }

    /** Calls at random, both ends stepping by chance; the writer may be a call ahead of the reader. */
    private final class Run
    {
        private final Random random;
        private final String where;
        private final long[] ring = new long[slots];
        private final int[] rows = new int[CALLS];
        private final boolean[] areDirect = new boolean[CALLS];
        private int writing = -1;
        private int reading = -1;
        private int consumed;

        private Run(final Random random, final String where)
        {
            this.random = random;
            this.where = where + ": slots " + slots + ", chunk " + chunk + ", batch " + batch;
            for (int call = 0; call < CALLS; call++)
            {
                rows[call] = 0 == random.nextInt(4) ? 0 : random.nextInt(3 * slots);
                areDirect[call] = 0 == random.nextInt(3);
            }
        }

        private void run()
        {
            for (int step = 0; reading < CALLS; step++)
            {
                assertTrue(step < MOST_STEPS, () -> "nothing goes on in " + where);
                returns.isRefusing = 0 == random.nextInt(3);
                if (random.nextBoolean())
                {
                    write();
                }
                else
                {
                    read();
                }
            }
        }

        private void write()
        {
            final boolean isDone = writing < 0 || writing < CALLS && writer.filled() == rows[writing];
            if (isDone && writing < CALLS && writing <= reading)
            {
                writing++;
                writer.begin();
            }
            else if (writing >= 0 && writing < CALLS)
            {
                fill(Math.min(rows[writing] - writer.filled(), chunk));
            }
        }

        private void fill(final int count)
        {
            if (areDirect[writing])
            {
                writer.fill(rows[writing] - writer.filled());
            }
            else if (count > 0 && writer.room(count) == count)
            {
                for (int i = 0; i < count; i++)
                {
                    final int row = writer.filled() + i;
                    final int slot = writer.slot(row);
                    assertEquals(0, ring[slot], () -> "slot " + slot + " still holds a row in " + where);
                    ring[slot] = value(writing, row);
                }

                writer.fill(count);
            }
            else if (count > 0)
            {
                assertTrue(writer.needed() + count - 1 > writer.head(),
                    () -> "no room, and none is needed in " + where);
            }

            tail += random.nextBoolean() || writer.filled() == rows[writing] ? writer.tell() : 0;
        }

        private long value(final int call, final int row)
        {
            return 1 + call * 1_000_000L + row;
        }

        private void read()
        {
            final boolean isDone = reading < 0 || consumed == rows[reading] && (areDirect[reading] || !reader.isDue());
            if (isDone && reading < writing)
            {
                reading++;
                consumed = 0;
                if (reading < CALLS)
                {
                    reader.begin();
                }
            }
            else if (reading >= 0 && reading < CALLS)
            {
                take();
            }
        }

        private void take()
        {
            final int arrived = reader.arrived(tail);
            assertTrue(arrived >= consumed && (reading < writing || arrived <= rows[reading]), where);
            if (areDirect[reading])
            {
                if (arrived >= rows[reading])
                {
                    consumed = rows[reading];
                    reader.pass(consumed);
                }

                return;
            }

            final int end = Math.min(arrived, rows[reading]);
            for (int row = consumed; row < end; row++)
            {
                final int slot = reader.slot(row);
                assertEquals(value(reading, row), ring[slot], where);
                ring[slot] = 0;
            }

            consumed = end;
            reader.consumed(consumed);
            assertTrue(head <= reader.tail(consumed), () -> "more is given back than was taken in " + where);
        }
    }

    /** Gives credit back in batches, now and then not at once. */
    private final class Returns extends CreditReturn
    {
        private boolean isRefusing;

        Returns()
        {
            super(batch);
        }

        @Override
        protected boolean write(final long position, final long consumed)
        {
            if (!isRefusing)
            {
                head = position;
            }

            return !isRefusing;
        }

        @Override
        public boolean isWaiting(final Wait wait)
        {
            return false;
        }
    }
}
