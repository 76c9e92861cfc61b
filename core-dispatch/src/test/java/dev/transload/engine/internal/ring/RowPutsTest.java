/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.Traffic;
import dev.transload.kernels.RowKernels;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows arrive before they are told of, and no entry or source is used again while the transport may read it. */
class RowPutsTest
{
    private static final int CAPACITY = 5;
    private static final int SLOTS = 7;
    private static final int ROW_BYTES = 24;
    private static final int EXTRA_BYTES = 8;
    private static final int EXTRAS_AT = SLOTS * ROW_BYTES;
    private static final int SIGNAL = 2;
    private static final int ROWS = 200;
    private static final int MOST_STEPS = 200_000;

    /** Queues of one operation, of some, and of more than a chunk has; prefixes of lists, late copies, refusals. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 64})
    void shouldTellOfRowsThatHaveArrived(final int queueCapacity)
    {
        for (long seed = 1; seed <= 60; seed++)
        {
            final SteppingFabric fabric =
                new SteppingFabric(seed, 2, SteppingOptions.host().queueCapacity(queueCapacity).aggressiveness(0.8));
            new Stream(fabric, new Random(seed), 0 == seed % 2).run();
        }
    }

    /** A slot of either ring holds a row only while the writer may not use it: rows are numbers that must be found. */
    private static final class Stream
    {
        private final SteppingFabric fabric;
        private final Random random;
        private final ConnectionRig rig;
        private final RowPuts puts;
        private final boolean hasExtras;
        private long added;
        private long taken;

        private Stream(final SteppingFabric fabric, final Random random, final boolean hasExtras)
        {
            this.fabric = fabric;
            this.random = random;
            this.hasExtras = hasExtras;
            this.rig = new ConnectionRig(fabric.provider(), SLOTS * (ROW_BYTES + EXTRA_BYTES));
            this.puts = new RowPuts(rig.link, CAPACITY);
            puts.use(RowPuts.ROWS, rig.source, rig.remote(), ROW_BYTES);
            puts.use(RowPuts.EXTRAS, hasExtras ? rig.source : null, rig.remote(), EXTRA_BYTES);
        }

        private void run()
        {
            final String where = "seed " + fabric.seed() + ", extras " + hasExtras;
            for (int step = 0; taken < ROWS || !puts.isComplete(); step++)
            {
                assertTrue(step < MOST_STEPS, () -> "rows do not arrive: " + where);
                fabric.steps(random.nextInt(4));
                rig.worker.progress();
                rig.peerWorker.progress();
                puts.advance();
                take(where);
                if (added < ROWS)
                {
                    send();
                }
            }

            assertEquals(ROWS, puts.released());
            assertEquals(ROWS, puts.added());
            assertEquals(ROWS, rig.link.counters().rows(Traffic.DISPATCH_SCALE_UP));
            assertEquals(ROWS * (long)(ROW_BYTES + (hasExtras ? EXTRA_BYTES : 0)),
                rig.link.counters().bytes(Traffic.DISPATCH_SCALE_UP));
        }

        private void send()
        {
            final int wanted = (int)Math.min(ROWS - added, 1 + random.nextInt(CAPACITY));
            // Slots of the target are free when taken, those of the source when released.
            if (puts.room() < wanted || added + wanted - taken > SLOTS || added + wanted - puts.released() > SLOTS)
            {
                return;
            }

            for (int i = 0; i < wanted; i++)
            {
                final long row = added++;
                final long slot = row % SLOTS;
                // Entries are not in the order of slots at the target.
                final long there = (slot * 3 + 1) % SLOTS;
                fabric.poke(rig.source, slot * ROW_BYTES, bytes(ROW_BYTES, row));
                puts.add(slot * ROW_BYTES, there * ROW_BYTES);
                if (hasExtras)
                {
                    fabric.poke(rig.source, EXTRAS_AT + slot * EXTRA_BYTES, bytes(EXTRA_BYTES, -row));
                    puts.addExtras(EXTRAS_AT + slot * EXTRA_BYTES, EXTRAS_AT + there * EXTRA_BYTES);
                }
            }

            puts.send(SIGNAL, wanted, wanted);
            puts.advance();
        }

        private void take(final String where)
        {
            for (final long tail = rig.signals.getAcquire(SIGNAL); taken < tail; taken++)
            {
                final long there = (taken % SLOTS * 3 + 1) % SLOTS;
                assertArrayEquals(
                    bytes(ROW_BYTES, taken), fabric.peek(rig.target, there * ROW_BYTES, ROW_BYTES), where);
                if (hasExtras)
                {
                    assertArrayEquals(bytes(EXTRA_BYTES, -taken),
                        fabric.peek(rig.target, EXTRAS_AT + there * EXTRA_BYTES, EXTRA_BYTES), where);
                }
            }
        }

        private static byte[] bytes(final int length, final long value)
        {
            final ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
            while (bytes.hasRemaining())
            {
                bytes.putLong(value);
            }

            return bytes.array();
        }
    }

    @Test
    void shouldHaveNoRoomWhileAChunkIsOnItsWayOrItsEntriesAreRead()
    {
        final ConnectionRig rig = new ConnectionRig(0, SLOTS * ROW_BYTES);
        final RowPuts puts = new RowPuts(rig.link, CAPACITY);
        puts.use(RowPuts.ROWS, rig.source, rig.remote(), ROW_BYTES);
        assertEquals(CAPACITY, puts.room());
        puts.add(0, 0);
        puts.add(ROW_BYTES, ROW_BYTES);
        puts.send(SIGNAL, 2, 2);
        assertTrue(puts.isActive());
        assertEquals(0, puts.room());
        assertFalse(puts.isComplete());
        puts.advance();
        assertFalse(puts.isActive());
        assertEquals(2, rig.signals.getAcquire(SIGNAL));
        assertEquals(CAPACITY - 2, puts.room());
        assertFalse(puts.isComplete(), "sources may be read still");
        assertEquals(0, puts.released());
        rig.worker.progress();
        assertEquals(2, puts.released());
        assertEquals(CAPACITY, puts.room());
        assertTrue(puts.isComplete());
    }

    /** Rows that lie where they are read are told of alone, and count as moved all the same. */
    @Test
    void shouldTellOfRowsThatNeedNoPut()
    {
        final ConnectionRig rig = new ConnectionRig(0, SLOTS * ROW_BYTES);
        final RowPuts puts = new RowPuts(rig.link, CAPACITY);
        puts.use(RowPuts.ROWS, null, rig.remote(), ROW_BYTES);
        puts.use(RowPuts.EXTRAS, null, rig.remote(), EXTRA_BYTES);
        puts.add(0, 0);
        puts.send(SIGNAL, 1, 1, ROW_BYTES);
        puts.advance();
        assertFalse(puts.isActive());
        assertEquals(1, rig.signals.getAcquire(SIGNAL));
        assertEquals(ROW_BYTES, rig.link.counters().bytes(Traffic.DISPATCH_SCALE_UP));
        assertEquals(0, rig.target.hostView(0, Long.BYTES).getLong(0));
        puts.send(SIGNAL, 0, 0);
        puts.advance();
        assertEquals(1, rig.signals.getAcquire(SIGNAL), "nothing is told of");
    }

    private static void settle(
        final SteppingFabric fabric, final ConnectionRig rig, final int signal, final long value)
    {
        for (int step = 0; rig.signals.getAcquire(signal) < value; step++)
        {
            assertTrue(step < MOST_STEPS, "signal " + signal + " does not arrive");
            fabric.steps(1);
            rig.worker.progress();
            rig.peerWorker.progress();
        }

        assertEquals(value, rig.signals.getAcquire(signal));
    }

    /** The channel is not made to wait for row kernels, which would keep back signals of others. */
    @Test
    void shouldTellOfRowsInPlaceOnceRowKernelsHaveWrittenThem()
    {
        final SteppingFabric fabric = new SteppingFabric(1, 2, SteppingOptions.host());
        final ConnectionRig rig = new ConnectionRig(fabric.provider(), SLOTS * ROW_BYTES);
        final RowPuts puts = new RowPuts(rig.link, CAPACITY);
        final AtomicLong completed = new AtomicLong(4);
        final RowKernels kernels = (RowKernels)Proxy.newProxyInstance(RowKernels.class.getClassLoader(),
            new Class<?>[]{RowKernels.class}, (proxy, method, arguments) ->
            {
                assertEquals("completedPosition", method.getName());
                return completed.get();
            });
        final RingWriter writer = new RingWriter((needed) -> 0, SLOTS);
        writer.begin();
        writer.fill(3);
        assertFalse(puts.signalAfter(kernels, 5, SIGNAL, writer, 3, 3 * ROW_BYTES));
        for (int step = 0; rig.link.channel().signal(rig.link.signals(), SIGNAL - 1, 1) < 0; step++)
        {
            assertTrue(step < MOST_STEPS, "the channel takes nothing");
            fabric.steps(1);
            rig.worker.progress();
            rig.peerWorker.progress();
        }

        settle(fabric, rig, SIGNAL - 1, 1);
        assertEquals(0, rig.signals.getAcquire(SIGNAL));
        completed.set(5);
        for (int step = 0; !puts.signalAfter(kernels, 5, SIGNAL, writer, 3, 3 * ROW_BYTES); step++)
        {
            assertTrue(step < MOST_STEPS, "the signal is not taken");
            fabric.steps(1);
        }

        settle(fabric, rig, SIGNAL, 3);
        assertEquals(3 * ROW_BYTES, rig.link.counters().bytes(Traffic.DISPATCH_SCALE_UP));
    }
}
