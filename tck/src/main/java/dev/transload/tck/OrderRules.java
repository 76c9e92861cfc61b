/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Access;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;

/** Rules ORD: what is visible before what. */
interface OrderRules extends ConformanceCase
{
    /** Rounds of a test that looks for operations which overtook a fence. */
    int FENCED_ROUNDS = 40;

    /** Rows of one round. */
    int FENCED_ROWS = 12;

    /** Bytes of a row. */
    int FENCED_ROW_LENGTH = 64;

    /** Parts of a round, each with a signal of its own. */
    int CHUNKS = 4;

    @Rule("ORD-2")
    default void ord2FenceOrdersPutsBeforeLaterAdds()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            final RowList rows = identity(world);
            final int length = FENCED_ROWS * FENCED_ROW_LENGTH;
            for (int round = 1; round <= FENCED_ROUNDS; round++)
            {
                final byte[] sent = Lane.pattern(length, round);
                lane.fill(sent);
                lane.putRows(rows, FENCED_ROWS);
                lane.put(0, length, length);
                lane.fence();
                lane.add(0, 1);
                lane.awaitSignal(0, round);
                assertArrayEquals(sent, world.read(1, lane.target, 0, length),
                    "the add behind a fence was seen before the rows ahead of it, in round " + round);
                assertArrayEquals(sent, world.read(1, lane.target, length, length),
                    "the add behind a fence was seen before the put ahead of it, in round " + round);
                lane.flush();
            }
        });
        race(OrderRace.Ends.ADD_BEHIND_COPIES, OrderRace.Ends.PUTS_BEHIND_COPIES);
    }

    @Rule("ORD-3")
    default void ord3AcquireShowsDevicesWhatASignalPublished()
    {
        in(2, (world) ->
        {
            Assumptions.assumeTrue(world.kinds().size() > 1 || !world.kinds().get(0).isHost(),
                "the transport has host memory only");
            for (final MemoryKind kind : world.kinds())
            {
                final Lane lane = world.lane(0, 1, kind);
                final RowList rows = identity(world);
                final int length = FENCED_ROWS * FENCED_ROW_LENGTH;
                for (int round = 1; round <= FENCED_ROUNDS; round++)
                {
                    final byte[] sent = Lane.pattern(length, round);
                    lane.fill(sent);
                    lane.putRows(rows, FENCED_ROWS);
                    lane.fence();
                    lane.add(0, 1);
                    lane.awaitSignal(0, round);
                    assertArrayEquals(sent, lane.acquired(length), "round " + round + " of " + lane);
                    lane.flush();
                }
            }
        });
    }

    @Rule("ORD-4")
    default void ord4FenceOrdersAddsLoadsAndPutsAlike()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            final int length = world.aligned(Long.BYTES);
            for (int round = 1; round <= FENCED_ROUNDS; round++)
            {
                for (int i = 0; i < FENCED_ROWS; i++)
                {
                    lane.add(0, 1);
                }

                lane.fence();
                lane.add(1, 1);
                lane.awaitSignal(1, round);
                assertEquals((long)round * FENCED_ROWS, lane.signals.getAcquire(0),
                    "adds before the fence of round " + round);

                final byte[] sent = Lane.pattern(length, round);
                lane.fill(sent);
                lane.put(0, 0, length);
                lane.fence();
                world.submit("load behind a fence",
                    () -> lane.channel.load(lane.remote, 0, lane.source, length, length));
                lane.flush();
                assertArrayEquals(sent, world.read(0, lane.source, length, length), "load of round " + round);
            }
        });
        race(OrderRace.Ends.PUTS_BEHIND_WORD_ADD);
    }

    @Rule("ORD-6")
    default void ord6AddsAreAtomicInTheirScope()
    {
        in(2, (world) ->
        {
            requires(world, Capability.REGION_ATOMICS);
            final MemoryRegion target = world.allocate(1, MemoryKind.HOST, Lane.BYTES, Access.REMOTE);
            final long added = new AddRace(world, (worker) ->
            {
                final RemoteRegion remote = worker.importRegion(1, target.descriptor());
                return (channel) -> channel.atomicAdd(remote, 64, 1);
            }).run();
            assertEquals(added, World.word(target, 64), "adds were lost");
        });
    }

    @Rule("ORD-7")
    default void ord7OperationsStartAfterTheKernelsTheyWereToldOf()
    {
        in(2, (world) ->
        {
            boolean tested = false;
            for (final MemoryKind kind : world.kinds())
            {
                final RowKernels kernels = world.kernels(kind, 0);
                if (null != kernels)
                {
                    tested = true;
                    checkStartAfter(world, kind, kernels);
                }
            }

            Assumptions.assumeTrue(tested, "the fixture has no kernels");
        });
    }

    @Rule("ORD-8")
    default void ord8ASignalPublishesWhatItsChannelSentBefore()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            final Lane other = world.lane(0, 1, MemoryKind.HOST);
            final RowList rows = identity(world);
            final int length = FENCED_ROWS * FENCED_ROW_LENGTH;
            long added = 0;
            for (int round = 1; round <= FENCED_ROUNDS; round++)
            {
                final byte[] sent = Lane.pattern(length, round);
                lane.fill(sent);
                other.fill(sent);
                lane.putRows(rows, FENCED_ROWS);
                other.put(0, length, length);
                lane.put(0, length, length);
                lane.add(1, round);
                final long before = lane.channel.position();
                final long signalled = lane.signal(0, round) - before;
                assertTrue(1 <= signalled && signalled <= 2 && signalled == lane.channel.position() - before,
                    "a signal moved the position by " + signalled);
                other.signal(0, 1);
                lane.put(0, 2 * length, length);
                added += round;
                lane.awaitSignal(0, added);
                assertEquals(added, lane.signals.getAcquire(0), "signal of round " + round);
                assertEquals(round * (round + 1L) / 2, lane.signals.getAcquire(1),
                    "add before the signal of round " + round);
                assertArrayEquals(sent, world.read(1, lane.target, 0, length), "rows of round " + round);
                assertArrayEquals(sent, world.read(1, lane.target, length, length), "put of round " + round);
                other.awaitSignal(0, round);
                assertArrayEquals(sent, world.read(1, other.target, length, length),
                    "put of another channel in round " + round);
                if (0 == (round & 1))
                {
                    // Both ways of adding share a counter.
                    lane.fence();
                    lane.add(0, 1);
                    added++;
                }

                lane.flush();
                other.flush();
                assertArrayEquals(sent, world.read(1, lane.target, 2L * length, length), "put behind the signal");
            }

            lane.awaitSignal(0, added);
            assertEquals(added, lane.signals.getAcquire(0));
            for (final MemoryKind kind : world.kinds())
            {
                checkSignalledDevice(world.lane(0, 1, kind), rows);
                checkSignalledDevice(world.lane(0, 0, kind), rows);
            }
        });
        race(OrderRace.Ends.SIGNAL_BEHIND_COPIES, OrderRace.Ends.SIGNAL_BEHIND_ADD);
    }

    @Rule("ORD-9")
    default void ord9AFenceJoinsMemoryOfAllKinds()
    {
        in(2, (world) ->
        {
            Assumptions.assumeTrue(world.kinds().size() > 1, "the transport has memory of one kind");
            for (final MemoryKind kind : world.kinds())
            {
                if (!kind.isHost())
                {
                    checkWordBehindDevice(world, kind, kind);
                    checkWordBehindDevice(world, MemoryKind.HOST, kind);
                }
            }
        });
    }

    /** Looks at order from another thread, between what a call of progress does. */
    private void race(final OrderRace.Ends... all)
    {
        for (final OrderRace.Ends ends : all)
        {
            in(2, (world) ->
            {
                // Longer puts have no words that are whole at any time (PUT-4).
                if (world.alignment() <= Long.BYTES && (OrderRace.Ends.PUTS_BEHIND_WORD_ADD != ends ||
                    world.transport(0).capabilities().has(Capability.REGION_ATOMICS)))
                {
                    new OrderRace(world, ends).run();
                }
            });
        }
    }

    /** Signals follow each other while the rows of the first are under way; the last one published them all. */
    private static void checkSignalledDevice(final Lane lane, final RowList rows)
    {
        final int length = FENCED_ROWS * FENCED_ROW_LENGTH;
        final int chunk = FENCED_ROWS / CHUNKS;
        for (int round = 1; round <= FENCED_ROUNDS / CHUNKS; round++)
        {
            final byte[] sent = Lane.pattern(length, round);
            lane.fill(sent);
            for (int i = 0; i < CHUNKS; i++)
            {
                lane.putRows(rows, i * chunk, chunk);
                lane.signal(0, 1);
            }

            for (int i = 1; i <= CHUNKS; i++)
            {
                lane.awaitSignal(0, (round - 1L) * CHUNKS + i);
                final int shown = i * chunk * FENCED_ROW_LENGTH;
                assertArrayEquals(Arrays.copyOf(sent, shown), lane.acquired(shown),
                    "chunk " + i + " of round " + round + " of " + lane);
            }

            lane.flush();
            assertEquals((long)round * CHUNKS, lane.signals.getAcquire(0), "signals of round " + round);
        }
    }

    /** What tells of rows on the device is a put to memory of the host, over the same channel. */
    private static void checkWordBehindDevice(final World world, final MemoryKind from, final MemoryKind to)
    {
        final Lane lane = new Lane(world, 0, 1, from, to);
        final RowList rows = identity(world);
        final int length = FENCED_ROWS * FENCED_ROW_LENGTH;
        final int wordLength = world.aligned(Long.BYTES);
        final MemoryRegion told = world.allocate(1, MemoryKind.HOST, Lane.BYTES, Access.REMOTE);
        final MemoryRegion word = world.allocate(0, MemoryKind.HOST, Lane.BYTES, Access.LOCAL);
        final RemoteRegion remote = world.worker(0).importRegion(1, told.descriptor());
        for (int round = 1; round <= FENCED_ROUNDS; round++)
        {
            final long number = round;
            final byte[] sent = Lane.pattern(length, round);
            lane.fill(sent);
            World.word(word, 0, number);
            lane.putRows(rows, FENCED_ROWS);
            lane.fence();
            world.submit("put of the word that tells of rows",
                () -> lane.channel.put(word, 0, remote, 0, wordLength));
            world.await(() -> "word " + number + " in host memory, seen " + World.acquire(told, 0),
                () -> World.acquire(told, 0) == number);
            assertArrayEquals(sent, lane.acquired(length), "round " + round + " of " + lane);
            lane.flush();
        }
    }

    private void checkStartAfter(final World world, final MemoryKind kind, final RowKernels kernels)
    {
        final Lane lane = world.lane(0, 1, kind);
        final int half = Lane.BYTES / 2;
        final RowList rows = kernels.allocateRows(1).rowLength(half);
        rows.set(0, 0, half);
        for (int round = 1; round <= FENCED_ROUNDS; round++)
        {
            final byte[] sent = Lane.pattern(half, round);
            world.write(0, lane.source, 0, sent);
            final long position = world.submit("copy",
                () -> kernels.copyRows(lane.source, lane.source, rows, 0, 1));
            final long before = lane.channel.position();
            assertEquals(before, world.submit("startAfter", () -> lane.channel.startAfter(kernels, position)),
                "startAfter moved the position");
            lane.put(half, 0, half);
            lane.publish(0, 0 == (round & 1));
            lane.awaitSignal(0, round);
            assertArrayEquals(sent, lane.acquired(half), "round " + round + " of " + lane);
            lane.flush();
            world.await(() -> "kernels of " + kind + ": expected position " + position + ", seen " +
                kernels.completedPosition(), () -> kernels.completedPosition() >= position);
        }

        assertTrue(kernels.completedPosition() <= kernels.position());
    }

    private static RowList identity(final World world)
    {
        final RowList rows = world.transport(0).allocateRows(FENCED_ROWS).rowLength(FENCED_ROW_LENGTH);
        for (int i = 0; i < FENCED_ROWS; i++)
        {
            rows.set(i, (long)i * FENCED_ROW_LENGTH, (long)i * FENCED_ROW_LENGTH);
        }

        return rows;
    }
}
