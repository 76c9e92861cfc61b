/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Reachability;
import dev.transload.spi.RowList;
import dev.transload.tck.DeviceCheck.Shown;
import dev.transload.tck.DeviceReport.Link;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What becomes of bytes that go from one device's memory to another's, and how fast they go. */
final class CopyChecks
{
    private static final int MIB = 1 << 20;
    private static final int LARGEST = 64 * MIB;

    /** Beside each copy, so many bytes have to stay as they were. */
    private static final int GUARD = 64;

    /** Room for odd offsets and guards. */
    private static final int SLACK = 4096;

    /** Powers of two and what is beside them. */
    private static final int[] SIZES = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 255, 257,
        511, 513, 1023, 1025, 2047, 2049, 4095, 4096, 4097, 14336, 65535, 65537, MIB - 1, MIB, MIB + 1, 2 * MIB + 3,
        16 * MIB + 5, LARGEST};
    private static final int TIMED_PUTS = 8;
    private static final int ROWS = 512;
    private static final int ROW_LENGTH = 14336;
    private static final int TIMED_LISTS = 4;

    private CopyChecks()
    {
    }

    /** A check of one direction, which gives GB/s. */
    @FunctionalInterface
    private interface Direction
    {
        double run(World world, Lane lane);
    }

    /** From each rank to each other one: whether channels go there, and GB/s of large puts. */
    static List<Link> links(final DeviceSetup setup, final Words words)
    {
        final List<Link> links = new ArrayList<>();
        try (World world = setup.open())
        {
            for (int from = 0; from < setup.devices().size(); from++)
            {
                for (int to = 0; to < setup.devices().size(); to++)
                {
                    if (from != to)
                    {
                        links.add(link(setup, world, from, to, words));
                    }
                }
            }
        }

        return links;
    }

    /** How the vendor calls what is between two devices. */
    @FunctionalInterface
    interface Words
    {
        String of(int from, int to);
    }

    private static Link link(
        final DeviceSetup setup, final World world, final int from, final int to, final Words words)
    {
        final int near = setup.devices().get(from);
        final int far = setup.devices().get(to);
        final Reachability verdict = world.transport(from).canReach(to, world.transport(to).peerInfo());
        double gbps = 0;
        if (verdict.reachable())
        {
            try (Lane lane = lane(world, from, to, LARGEST))
            {
                gbps = timedPuts(lane, LARGEST);
            }
        }

        return new Link(near, far, words.of(near, far), verdict.reachable(), verdict.reason(), gbps);
    }

    static Shown putPatterns(final DeviceSetup setup)
    {
        return eachDirection(setup, LARGEST + SLACK, SIZES.length + " sizes from 1 B to 64 MiB at odd offsets",
            (world, lane) ->
            {
                DeviceMemory.fill(world, lane.from, lane.source);
                for (int i = 0; i < SIZES.length; i++)
                {
                    final Span span = new Span(world, i);
                    final String what = "put of " + span.length + " bytes, " + lane;
                    span.clearGuards(world, lane.to, lane.target);
                    lane.put(span.from, span.to, span.length);
                    lane.flush();
                    world.worker(lane.to).acquire(lane.target);
                    DeviceMemory.check(world, lane.to, lane.target, span.to, span.length, span.from, what);
                    span.checkGuards(world, lane.to, lane.target, what);
                }

                return timedPuts(lane, LARGEST);
            });
    }

    static Shown load(final DeviceSetup setup)
    {
        return eachDirection(setup, LARGEST + SLACK, SIZES.length + " sizes from 1 B to 64 MiB at odd offsets",
            (world, lane) ->
            {
                DeviceMemory.fill(world, lane.to, lane.target);
                for (int i = 0; i < SIZES.length; i++)
                {
                    final Span span = new Span(world, i);
                    final String what = "load of " + span.length + " bytes, " + lane;
                    span.clearGuards(world, lane.from, lane.source);
                    world.submit(what,
                        () -> lane.channel.load(lane.remote, span.from, lane.source, span.to, span.length));
                    lane.flush();
                    DeviceMemory.check(world, lane.from, lane.source, span.to, span.length, span.from, what);
                    span.checkGuards(world, lane.from, lane.source, what);
                }

                return timed(lane, TIMED_PUTS, LARGEST,
                    () -> world.submit("load", () -> lane.channel.load(lane.remote, 0, lane.source, 0, LARGEST)));
            });
    }

    /** Where a size goes from and to: each has a distance of its own, so that stale bytes show. */
    private static final class Span
    {
        private final int length;
        private final long from;
        private final long to;

        Span(final World world, final int index)
        {
            length = world.aligned(SIZES[index]);
            from = world.aligned(GUARD + 37 * index % 1021);
            to = world.aligned(GUARD + 101 * (index + 1) % 1999);
        }

        void clearGuards(final World world, final int rank, final MemoryRegion region)
        {
            DeviceMemory.clear(world, rank, region, to - GUARD, GUARD);
            DeviceMemory.clear(world, rank, region, to + length, GUARD);
        }

        void checkGuards(
            final World world, final int rank, final MemoryRegion region, final String what)
        {
            DeviceMemory.checkClear(world, rank, region, to - GUARD, GUARD, "before a " + what);
            DeviceMemory.checkClear(world, rank, region, to + length, GUARD, "behind a " + what);
        }
    }

    static Shown randomRows(final DeviceSetup setup)
    {
        final Random random = new Random(1);
        return rows(setup, "at random places", shuffled(random), shuffled(random), ROW_LENGTH);
    }

    static Shown neighbouringRows(final DeviceSetup setup)
    {
        return rows(setup, "that touch", ascending(), ascending(), ROW_LENGTH);
    }

    static Shown stridedRows(final DeviceSetup setup)
    {
        return rows(setup, "at one distance", ascending(), ascending(), ROW_LENGTH + 1024);
    }

    /** Rows by their places, which lie at a pitch in the target, and one row further on at the source. */
    private static Shown rows(final DeviceSetup setup, final String how, final int[] sources, final int[] targets,
        final int pitch)
    {
        final boolean isTouching = ROW_LENGTH == pitch;
        final int sourcePitch = isTouching ? pitch : pitch + 512;
        final int bytes = (ROWS + 1) * sourcePitch;
        return eachDirection(setup, bytes, ROWS + " rows of " + ROW_LENGTH + " B " + how, (world, lane) ->
        {
            final RowList list = world.transport(lane.from).allocateRows(ROWS).rowLength(ROW_LENGTH);
            final byte[] expected = new byte[bytes];
            Arrays.fill(expected, (byte)1);
            world.write(lane.to, lane.target, 0, expected);
            DeviceMemory.fill(world, lane.from, lane.source);
            for (int i = 0; i < ROWS; i++)
            {
                final long from = (long)sources[i] * sourcePitch;
                final int to = targets[i] * pitch;
                list.set(i, from, to);
                System.arraycopy(DeviceMemory.pattern(from, ROW_LENGTH), 0, expected, to, ROW_LENGTH);
            }

            lane.putRows(list, ROWS);
            lane.flush();
            world.worker(lane.to).acquire(lane.target);
            DeviceMemory.compare(expected, world.read(lane.to, lane.target, 0, bytes), 0, "rows " + how + ", " + lane);
            return timed(lane, TIMED_LISTS, (long)ROWS * ROW_LENGTH, () -> lane.putRows(list, ROWS));
        });
    }

    static Shown twoWay(final DeviceSetup setup)
    {
        double least = Double.MAX_VALUE;
        int pairs = 0;
        try (World world = setup.open())
        {
            for (int one = 0; one < setup.devices().size(); one++)
            {
                for (int other = one + 1; other < setup.devices().size(); other++)
                {
                    if (DeviceSetup.isReachable(world, one, other) && DeviceSetup.isReachable(world, other, one))
                    {
                        least = Math.min(least, bothWays(world, one, other));
                        pairs++;
                    }
                }
            }
        }

        requireAny(pairs);
        return new Shown(pairs + " pairs, " + TIMED_PUTS + " puts of 64 MiB each way at once",
            Map.of("least_both_ways_GBps", least));
    }

    private static double bothWays(final World world, final int one, final int other)
    {
        try (Lane there = lane(world, one, other, LARGEST); Lane back = lane(world, other, one, LARGEST))
        {
            DeviceMemory.fill(world, one, there.source);
            DeviceMemory.fill(world, other, back.source);
            final long beginNs = System.nanoTime();
            for (int i = 0; i < TIMED_PUTS; i++)
            {
                there.put(0, 0, LARGEST);
                back.put(0, 0, LARGEST);
            }

            final long thereTo = world.submit("flush there", there.channel::flush);
            final long backTo = world.submit("flush back", back.channel::flush);
            world.awaitDelivered(there.channel, thereTo);
            world.awaitDelivered(back.channel, backTo);
            final long tookNs = System.nanoTime() - beginNs;
            for (final Lane lane : List.of(there, back))
            {
                world.worker(lane.to).acquire(lane.target);
                DeviceMemory.check(world, lane.to, lane.target, 0, LARGEST, 0, "puts both ways at once, " + lane);
            }

            return 2.0 * TIMED_PUTS * LARGEST / tookNs;
        }
    }

    private static Shown eachDirection(
        final DeviceSetup setup, final int bytes, final String note, final Direction direction)
    {
        double least = Double.MAX_VALUE;
        double most = 0;
        int directions = 0;
        try (World world = setup.open())
        {
            for (int from = 0; from < setup.devices().size(); from++)
            {
                for (int to = 0; to < setup.devices().size(); to++)
                {
                    if (from != to && DeviceSetup.isReachable(world, from, to))
                    {
                        try (Lane lane = lane(world, from, to, bytes))
                        {
                            final double gbps = direction.run(world, lane);
                            least = Math.min(least, gbps);
                            most = Math.max(most, gbps);
                            directions++;
                        }
                    }
                }
            }
        }

        requireAny(directions);
        return new Shown(note + ", in " + directions + " directions", Map.of("least_GBps", least, "most_GBps", most));
    }

    private static void requireAny(final int count)
    {
        if (0 == count)
        {
            throw new UnsupportedOperationException("none of these devices reaches another one");
        }
    }

    private static Lane lane(final World world, final int from, final int to, final long bytes)
    {
        return new Lane(world, from, to, DeviceSetup.kind(world), DeviceSetup.kind(world), bytes);
    }

    private static double timedPuts(final Lane lane, final long bytes)
    {
        return timed(lane, TIMED_PUTS, bytes, () -> lane.put(0, 0, bytes));
    }

    /** GB/s of what is done so often, once it is delivered; the first time is not counted. */
    private static double timed(final Lane lane, final int times, final long bytes, final Runnable operation)
    {
        operation.run();
        lane.flush();
        final long beginNs = System.nanoTime();
        for (int i = 0; i < times; i++)
        {
            operation.run();
        }

        lane.flush();
        return (double)times * bytes / (System.nanoTime() - beginNs);
    }

    private static int[] ascending()
    {
        final int[] places = new int[ROWS];
        Arrays.setAll(places, (i) -> i);
        return places;
    }

    private static int[] shuffled(final Random random)
    {
        final int[] places = ascending();
        for (int i = ROWS - 1; i > 0; i--)
        {
            final int other = random.nextInt(i + 1);
            final int place = places[i];
            places[i] = places[other];
            places[other] = place;
        }

        return places;
    }
}
