/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Channel;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who sees a signal sees what was put before it, whatever the delays of the streams. */
class DelaysTest
{
    /** Each channel has a stream, and each stream delays of its own, by the seed and its number. */
    private static final int SEEDS = 1000;

    @Test
    void shouldShowWhatWasPutBeforeASignal()
    {
        try (Pair pair = new Pair(Emulator.options()); Channel own = pair.connectOwn())
        {
            for (int round = 1; round <= SEEDS; round++)
            {
                try (Channel channel = pair.connect())
                {
                    publish(pair, channel, round);
                    final long value = round;
                    pair.await(() -> pair.signals.getAcquire(0) == value);
                    assertHolds(pair, own, round);
                }
            }
        }
    }

    /** The stream has the second half before anybody saw that it is done with the first. */
    @Test
    void shouldCopyOnBehindASignalThatNobodyHasAdded()
    {
        try (Pair pair = new Pair(Emulator.options());
            Channel own = pair.connectOwn();
            Channel channel = pair.connect())
        {
            final int half = Pair.BYTES / 2;
            final int last = Pair.BYTES - Integer.BYTES;
            pair.source.hostView(0, Pair.BYTES).putInt(0, 1).putInt(last, 1);
            assertTrue(channel.put(pair.source, 0, pair.remote, 0, half) > 0);
            assertTrue(channel.signal(pair.remoteSignals, 0, 1) > 0);
            assertTrue(channel.put(pair.source, half, pair.remote, half, half) > 0);

            // Rank 0 makes no progress from here on.
            final ByteBuffer view = pair.result.hostView(0, Pair.BYTES);
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (0 == view.getInt(last))
            {
                assertTrue(System.nanoTime() - deadlineNs < 0, "the second half waits for the signal");
                final long loaded = own.load(pair.own, 0, pair.result, 0, Pair.BYTES);
                while (own.deliveredPosition() < loaded)
                {
                    pair.peer.progress();
                }
            }

            pair.await(() -> 1 == pair.signals.getAcquire(0));
            assertEquals(1, view.getInt(0));
        }
    }

    /** In two halves, the second of which goes behind a fence of its own. */
    private static void publish(final Pair pair, final Channel channel, final int round)
    {
        final ByteBuffer view = pair.source.hostView(0, Pair.BYTES);
        for (int i = 0; i < Pair.BYTES; i += Integer.BYTES)
        {
            view.putInt(i, round);
        }

        final int half = Pair.BYTES / 2;
        assertTrue(channel.put(pair.source, 0, pair.remote, 0, half) > 0);
        assertTrue(channel.fence() > 0);
        assertTrue(channel.put(pair.source, half, pair.remote, half, half) > 0);
        assertTrue(channel.fence() > 0);
        assertTrue(channel.atomicAdd(pair.remoteSignals, 0, 1) > 0);
        final long last = channel.flush();
        pair.await(() -> channel.deliveredPosition() >= last);
    }

    private static void assertHolds(final Pair pair, final Channel own, final int round)
    {
        final long loaded = own.load(pair.own, 0, pair.result, 0, Pair.BYTES);
        pair.await(() -> own.deliveredPosition() >= loaded);
        final ByteBuffer view = pair.result.hostView(0, Pair.BYTES);
        for (int i = 0; i < Pair.BYTES; i += Integer.BYTES)
        {
            assertEquals(round, view.getInt(i));
        }
    }
}
