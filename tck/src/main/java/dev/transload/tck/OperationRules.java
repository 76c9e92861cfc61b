/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.UnsupportedCapabilityException;
import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;

/** Rules PUT, ROW, LOAD and ADD: what the operations do to memory. */
interface OperationRules extends ConformanceCase
{
    /** Rows of a list. */
    int ROWS = 24;

    /** Bytes of a row. */
    int ROW_LENGTH = 64;

    @Rule("PUT-1")
    default void put1WritesItsRangeAndNothingElse()
    {
        forKinds(2, (world, kind) ->
        {
            final Lane lane = world.lane(0, 1, kind);
            final byte[] sent = Lane.pattern(Lane.BYTES, 11);
            final byte[] expected = new byte[Lane.BYTES];
            lane.fill(sent);
            int at = world.aligned(3);
            for (final int wanted : new int[] {1, 7, 8, 63, 64, 65, 1000, 4096})
            {
                final int length = world.aligned(wanted);
                final int from = world.aligned(wanted / 2);
                lane.put(from, at, length);
                System.arraycopy(sent, from, expected, at, length);
                at += length + world.aligned(5);
            }

            lane.flush();
            assertArrayEquals(expected, lane.acquired(Lane.BYTES), lane.toString());
            assertArrayEquals(sent, world.read(0, lane.source, 0, Lane.BYTES), "the source changed");
        });
    }

    @Rule("PUT-2")
    default void put2OfNoBytesIsAnOperation()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            final long before = lane.channel.position();
            assertEquals(before + 1, lane.put(0, Lane.BYTES, 0));
            lane.flush();
            assertArrayEquals(new byte[Lane.BYTES], lane.acquired(Lane.BYTES));
        });
    }

    @Rule("PUT-3")
    default void put3SourceMayChangeOnceReleased()
    {
        forKinds(2, (world, kind) ->
        {
            final Lane lane = world.lane(0, 1, kind);
            final int length = world.aligned(512);
            for (int round = 0; round < Lane.BYTES / length; round++)
            {
                world.write(0, lane.source, 0, Lane.pattern(length, round));
                world.awaitReleased(lane.channel, lane.put(0, (long)round * length, length));
            }

            world.write(0, lane.source, 0, new byte[length]);
            lane.flush();
            final byte[] seen = lane.acquired(Lane.BYTES);
            for (int round = 0; round < Lane.BYTES / length; round++)
            {
                assertArrayEquals(Lane.pattern(length, round),
                    Arrays.copyOfRange(seen, round * length, (round + 1) * length), "put " + round + " of " + lane);
            }
        });
    }

    @Rule("PUT-4")
    default void put4AlignedWordsAreWrittenWhole()
    {
        in(2, (world) ->
        {
            final int alignment = world.transport(0).capabilities().offsetAlignment();
            Assumptions.assumeTrue(alignment <= Long.BYTES,
                () -> "puts here are of " + alignment + " bytes at least");
            new PutRace(world).run();
        });
    }

    @Rule("ROW-1")
    default void row1EachRowGoesWhereTheListSays()
    {
        forKinds(2, (world, kind) ->
        {
            final Lane lane = world.lane(0, 1, kind);
            final byte[] sent = Lane.pattern(Lane.BYTES, 21);
            lane.fill(sent);
            final byte[] expected = new byte[Lane.BYTES];
            final RowList rows = world.transport(0).allocateRows(ROWS).rowLength(ROW_LENGTH);
            for (int i = 0; i < ROWS; i++)
            {
                final int src = (i * 7 % ROWS) * ROW_LENGTH;
                final int dst = (i * 5 % ROWS) * 2 * ROW_LENGTH;
                rows.set(i, src, dst);
                System.arraycopy(sent, src, expected, dst, ROW_LENGTH);
            }

            lane.putRows(rows, ROWS);
            lane.flush();
            assertArrayEquals(expected, lane.acquired(Lane.BYTES), lane.toString());
        });
    }

    @Rule("ROW-2")
    default void row2APrefixIsAcceptedAndCounted()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            final RowList rows = rows(world, 0);
            assertEquals(0, world.submit("putRows of no row",
                () -> lane.channel.putRows(lane.source, lane.remote, rows, 0, 0)), "no row moved the position");
            int done = 0;
            while (done < ROWS)
            {
                final int next = done;
                final long before = lane.channel.position();
                final long position = world.submit("putRows", () ->
                    lane.channel.putRows(lane.source, lane.remote, rows, next, ROWS - next));
                assertTrue(position > before && position <= before + ROWS - next,
                    "position went from " + before + " to " + position + " for " + (ROWS - next) + " rows");
                assertEquals(position, lane.channel.position());
                done += (int)(position - before);
            }

            assertEquals(ROWS, lane.channel.position());
            assertEquals(ROWS + 1, lane.fence());
        });
    }

    @Rule("ROW-3")
    default void row3EntriesMayChangeOnceReleased()
    {
        forKinds(2, (world, kind) ->
        {
            final Lane lane = world.lane(0, 1, kind);
            final byte[] sent = Lane.pattern(ROWS * ROW_LENGTH, 23);
            world.write(0, lane.source, 0, sent);
            final RowList rows = rows(world, 0);
            world.awaitReleased(lane.channel, lane.putRows(rows, ROWS));
            world.write(0, lane.source, 0, new byte[ROWS * ROW_LENGTH]);
            for (int i = 0; i < ROWS; i++)
            {
                rows.set(i, 0, Lane.BYTES - ROW_LENGTH);
            }

            lane.flush();
            final byte[] expected = Arrays.copyOf(sent, Lane.BYTES);
            assertArrayEquals(expected, lane.acquired(Lane.BYTES), lane.toString());
        });
    }

    @Rule("ROW-4")
    default void row4AListHoldsWhatItWasAskedFor()
    {
        in(1, (world) ->
        {
            final RowList rows = world.transport(0).allocateRows(ROWS);
            assertEquals(ROWS, rows.capacity());
            for (int i = 0; i < ROWS; i++)
            {
                rows.set(i, i, 2L * i);
            }

            assertEquals(ROWS - 1, rows.srcOffset(ROWS - 1));
            assertEquals(2 * (ROWS - 1), rows.dstOffset(ROWS - 1));
            assertThrows(IllegalArgumentException.class, () -> world.transport(0).allocateRows(-1));
        });
    }

    @Rule("LOAD-1")
    default void load1BytesHaveArrivedOnceDelivered()
    {
        forKinds(2, (world, kind) ->
        {
            final Lane lane = world.lane(0, 1, kind);
            final byte[] there = Lane.pattern(Lane.BYTES, 31);
            world.write(1, lane.target, 0, there);
            for (final int wanted : new int[] {1, 8, 200, 3000})
            {
                final int length = world.aligned(wanted);
                final int from = world.aligned(wanted / 3);
                lane.fill(new byte[Lane.BYTES]);
                world.submit("load of " + length + " bytes",
                    () -> lane.channel.load(lane.remote, from, lane.source, length, length));
                lane.flush();
                final byte[] expected = new byte[Lane.BYTES];
                System.arraycopy(there, from, expected, length, length);
                assertArrayEquals(expected, world.read(0, lane.source, 0, Lane.BYTES), lane.toString());
            }
        });
    }

    @Rule("LOAD-2")
    default void load2AlignedWordsAreReadWhole()
    {
        in(2, (world) -> new LoadRace(world).run());
    }

    @Rule("ADD-1")
    default void add1WordsOfARegionTakeAnyDelta()
    {
        in(2, (world) ->
        {
            requires(world, Capability.REGION_ATOMICS);
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            long expected = 0;
            for (final long delta : new long[] {5, -3, Long.MAX_VALUE, Long.MAX_VALUE, 0, -1})
            {
                world.submit("add of " + delta, () -> lane.channel.atomicAdd(lane.remote, 16, delta));
                expected += delta;
            }

            lane.flush();
            assertEquals(expected, World.word(lane.target, 16));
            assertEquals(0, World.word(lane.target, 8), "a neighbour was added to");
            assertEquals(0, World.word(lane.target, 24), "a neighbour was added to");
        });
    }

    @Rule("ADD-2")
    default void add2WordsOfARegionOnlyByCapability()
    {
        in(2, (world) ->
        {
            Assumptions.assumeFalse(world.transport(0).capabilities().has(Capability.REGION_ATOMICS),
                "the transport offers REGION_ATOMICS");
            final MemoryRegion target = world.allocate(1, MemoryKind.HOST, Lane.BYTES, Access.REMOTE);
            final RemoteRegion remote = world.worker(0).importRegion(1, target.descriptor());
            final Channel channel = world.connect(0, 1);
            assertThrows(UnsupportedCapabilityException.class, () -> channel.atomicAdd(remote, 0, 1));
            assertEquals(0, channel.position());
        });
    }

    private static RowList rows(final World world, final int rank)
    {
        final RowList rows = world.transport(rank).allocateRows(ROWS).rowLength(ROW_LENGTH);
        for (int i = 0; i < ROWS; i++)
        {
            rows.set(i, (long)i * ROW_LENGTH, (long)i * ROW_LENGTH);
        }

        return rows;
    }
}
