/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.Traffic;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole slots go from a ring to a ring, around its end, and no slot is written again while it may be read. */
class RingPutsTest
{
    private static final int SLOTS = 7;
    private static final int STRIDE = 32;
    private static final int ROW_BYTES = 24;
    private static final int EXTRA_BYTES = 8;
    private static final int SOURCE_AT = 64;
    private static final int TARGET_AT = 32;
    private static final int EXTRAS_AT = 512;
    private static final int BYTES = 1024;
    private static final int SIGNAL = 2;
    private static final int ROWS = 60;
    private static final int CALLS = 3;
    private static final int MOST_STEPS = 200_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 64})
    void shouldTellOfSlotsThatHaveArrived(final int queueCapacity)
    {
        for (long seed = 1; seed <= 60; seed++)
        {
            new Stream(new SteppingFabric(seed, 2,
                SteppingOptions.host().queueCapacity(queueCapacity).aggressiveness(0.8)), 0 == seed % 2).run();
        }
    }

    private static final class Stream
    {
        private final SteppingFabric fabric;
        private final Random random;
        private final ConnectionRig rig;
        private final RingPuts puts;
        private final boolean hasExtras;
        private long before;
        private int taken;

        private Stream(final SteppingFabric fabric, final boolean hasExtras)
        {
            this.fabric = fabric;
            this.random = new Random(fabric.seed());
            this.hasExtras = hasExtras;
            this.rig = new ConnectionRig(fabric.provider(), BYTES);
            this.puts = new RingPuts(rig.link, SLOTS, false);
        }

        private void run()
        {
            for (int call = 0; call < CALLS; call++)
            {
                puts.begin();
                puts.use(RingPuts.ROWS, rig.source, SOURCE_AT, rig.remote(), TARGET_AT, STRIDE, ROW_BYTES);
                puts.use(RingPuts.EXTRAS, hasExtras ? rig.source : null, EXTRAS_AT, rig.remote(), EXTRAS_AT,
                    EXTRA_BYTES, EXTRA_BYTES);
                taken = 0;
                runCall("call " + call + ", seed " + fabric.seed());
                before += ROWS;
            }

            assertEquals(before, rig.link.counters().rows(Traffic.DISPATCH_SCALE_UP));
            assertEquals(before * (ROW_BYTES + (hasExtras ? EXTRA_BYTES : 0)),
                rig.link.counters().bytes(Traffic.DISPATCH_SCALE_UP));
        }

        private void runCall(final String where)
        {
            for (int step = 0; taken < ROWS || !puts.isComplete(); step++)
            {
                assertTrue(step < MOST_STEPS, () -> "rows do not arrive: " + where);
                fabric.steps(random.nextInt(4));
                rig.worker.progress();
                rig.peerWorker.progress();
                puts.advance();
                take(where);
                send();
            }

            assertEquals(ROWS, puts.released(), where);
            assertEquals(ROWS, puts.sent(), where);
        }

        private void send()
        {
            final int wanted = Math.min(ROWS - puts.sent(), 1 + random.nextInt(SLOTS));
            final int end = puts.sent() + wanted;
            if (0 == wanted || !puts.isFree() || end - taken > SLOTS || end - puts.released() > SLOTS)
            {
                return;
            }

            for (int row = puts.sent(); row < end; row++)
            {
                final int slot = row % SLOTS;
                fabric.poke(rig.source, SOURCE_AT + (long)slot * STRIDE, bytes(ROW_BYTES, before + row));
                fabric.poke(rig.source, EXTRAS_AT + (long)slot * EXTRA_BYTES, bytes(EXTRA_BYTES, before + row + 1));
            }

            puts.send(wanted, SIGNAL, wanted, 0);
        }

        private void take(final String where)
        {
            for (final long tail = rig.signals.getAcquire(SIGNAL) - before; taken < tail; taken++)
            {
                final int slot = taken % SLOTS;
                assertArrayEquals(bytes(ROW_BYTES, before + taken),
                    fabric.peek(rig.target, TARGET_AT + (long)slot * STRIDE, ROW_BYTES), where);
                if (hasExtras)
                {
                    assertArrayEquals(bytes(EXTRA_BYTES, before + taken + 1),
                        fabric.peek(rig.target, EXTRAS_AT + (long)slot * EXTRA_BYTES, EXTRA_BYTES), where);
                }
            }
        }

        private static byte[] bytes(final int length, final long value)
        {
            final byte[] bytes = new byte[length];
            Arrays.fill(bytes, (byte)value);
            return bytes;
        }
    }

    /** One put for all slots up to the end of the ring, and one for those from its beginning. */
    @Test
    void shouldPutSlotsThatLieTogetherAtOnce()
    {
        final ConnectionRig rig = new ConnectionRig(0, BYTES);
        final RingPuts puts = new RingPuts(rig.link, SLOTS, true);
        puts.begin();
        puts.use(RingPuts.ROWS, rig.source, SOURCE_AT, rig.remote(), TARGET_AT, STRIDE, STRIDE);
        puts.send(5, SIGNAL, 5, 0);
        assertEquals(2, rig.link.channel().position(), "a put and a signal");
        assertEquals(5, rig.signals.getAcquire(SIGNAL));
        assertFalse(puts.isComplete(), "sources may be read still");
        assertEquals(0, puts.released());
        rig.worker.progress();
        assertTrue(puts.isComplete());
        assertEquals(5, puts.released());
        puts.send(4, SIGNAL, 4, 0);
        assertEquals(5, rig.link.channel().position(), "two puts and a signal");
        assertEquals(9L * STRIDE, rig.link.counters().stagedBytes());
    }
}
