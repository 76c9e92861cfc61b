/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PendingSignalsTest
{
    private static final long KEY = 7;

    private final PendingSignals signals = new PendingSignals();

    @Test
    void shouldTakeSignalsToOneWordAsOneAdd()
    {
        signals.add(64, KEY, 3, 11, 10);
        signals.add(64, KEY, 4, 13, 12);
        signals.add(64, KEY, 5, 15, 14);
        assertEquals(0, signals.ready(9), "rows before the first are under way");
        assertEquals(2, signals.ready(12), "rows before the third are under way");
        assertEquals(7, signals.delta(2));

        signals.give(2, 1);
        assertTrue(signals.isGiven());
        assertEquals(11, signals.position());
        signals.flushed(0);
        assertEquals(11, signals.position());
        signals.flushed(1);
        assertFalse(signals.isGiven());
        assertEquals(15, signals.position());
        assertEquals(1, signals.ready(Long.MAX_VALUE));
        assertEquals(5, signals.delta(1));
    }

    @Test
    void shouldNotPassASignalToAnotherWord()
    {
        signals.add(64, KEY, 1, 1, 0);
        signals.add(128, KEY, 1, 2, 0);
        signals.add(64, KEY, 1, 3, 0);
        signals.add(64, KEY + 1, 1, 4, 0);
        for (int i = 0; i < 4; i++)
        {
            assertEquals(1, signals.ready(Long.MAX_VALUE), "signal " + i);
            signals.give(1, i);
            signals.flushed(i);
        }

        assertTrue(signals.isEmpty());
        assertEquals(0, signals.ready(Long.MAX_VALUE));
    }

    @Test
    void shouldDropWhatWasNotGiven()
    {
        signals.add(64, KEY, 1, 1, 0);
        signals.add(64, KEY, 1, 2, 1);
        signals.add(64, KEY, 1, 3, 2);
        signals.give(signals.ready(1), 1);
        signals.discard();
        assertFalse(signals.isEmpty());
        signals.flushed(1);
        assertTrue(signals.isEmpty());
    }

    /** Each word gets its sum, each signal in order, none before its rows. */
    @Test
    void shouldAddNothingTwiceAndNothingTooEarly()
    {
        final Random random = new Random(1);
        final Deque<long[]> waiting = new ArrayDeque<>();
        final long[] sums = new long[2];
        final long[] added = new long[2];
        long position = 0;
        for (int round = 0; round < 100_000; round++)
        {
            if (signals.hasRoom() && random.nextBoolean())
            {
                final int word = random.nextInt(8) / 7;
                final long delta = random.nextInt(5);
                position++;
                signals.add(word * 64L, KEY, delta, position, position - 1);
                waiting.add(new long[]{ word, delta, position });
                sums[word] += delta;
            }

            final long settled = position - random.nextInt(5);
            final int count = signals.isGiven() ? 0 : signals.ready(settled);
            if (count > 0)
            {
                final long sum = signals.delta(count);
                final int word = (int)signals.address() / 64;
                long expected = 0;
                for (int i = 0; i < count; i++)
                {
                    final long[] next = waiting.remove();
                    assertEquals(word, next[0]);
                    assertTrue(next[2] - 1 <= settled);
                    expected += next[1];
                }

                assertEquals(expected, sum);
                added[word] += sum;
                signals.give(count, round);
            }

            signals.flushed(round - random.nextInt(3));
        }

        while (!waiting.isEmpty())
        {
            added[(int)waiting.peek()[0]] += waiting.remove()[1];
        }

        assertEquals(sums[0], added[0]);
        assertEquals(sums[1], added[1]);
    }
}
