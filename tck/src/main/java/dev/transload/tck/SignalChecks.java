/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Access;
import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.TransportException;
import dev.transload.tck.DeviceCheck.Shown;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What signals publish, what they add up to, and what becomes of a peer's memory when the peer is gone. */
final class SignalChecks
{
    private static final int SLOTS = 256;
    private static final int SLOT = 4096;
    private static final int ADDS = 2000;
    private static final int CHANNELS = 2;
    private static final int BYTES = 1 << 20;

    private SignalChecks()
    {
    }

    /** Each round puts other data, then a flag; a thread that sees the flag must see that data. */
    static Shown dataThenFlag(final DeviceSetup setup)
    {
        int directions = 0;
        int rounds = 0;
        long tookNs = 0;
        try (World world = setup.open())
        {
            final int size = setup.devices().size();
            for (int i = 0; i < size; i++)
            {
                final int from = i;
                final int to = (i + 1) % size;
                if (DeviceSetup.isReachable(world, from, to))
                {
                    final int some = setup.rounds() / size + (i < setup.rounds() % size ? 1 : 0);
                    tookNs += publish(world, from, to, some);
                    rounds += some;
                    directions++;
                }
            }
        }

        if (0 == rounds)
        {
            throw new UnsupportedOperationException("none of these devices reaches the next one");
        }

        return new Shown(rounds + " rounds of " + SLOT + " B in " + directions + " directions",
            Map.of("rounds", (double)rounds, "micros_per_round", tookNs / 1e3 / rounds));
    }

    private static long publish(final World world, final int from, final int to, final int rounds)
    {
        final MemoryKind kind = DeviceSetup.kind(world);
        try (Lane lane = new Lane(world, from, to, kind, kind, SLOTS * SLOT))
        {
            DeviceMemory.fill(world, from, lane.source);
            final byte[][] slots = new byte[SLOTS][];
            Arrays.setAll(slots, (i) -> DeviceMemory.pattern((long)i * SLOT, SLOT));
            final long beginNs = System.nanoTime();
            for (int round = 1; round <= rounds; round++)
            {
                final int slot = round % SLOTS;
                lane.put((long)slot * SLOT, 0, SLOT);
                lane.fence();
                lane.add(0, 1);
                lane.awaitSignal(0, round);
                DeviceMemory.compare(slots[slot], lane.acquired(SLOT), 0, "data of round " + round + ", " + lane);
            }

            return System.nanoTime() - beginNs;
        }
    }

    /** As above, into a rank of this process, whose device reads the data by a kernel as soon as the flag is seen. */
    static Shown dataThenKernel(final DeviceSetup setup)
    {
        try (World world = setup.open())
        {
            final MemoryKind kind = DeviceSetup.kind(world);
            final RowKernels kernels = kind.isHost() ? null : world.kernels(kind, 0);
            if (null == kernels || !DeviceSetup.isReachable(world, 1, 0))
            {
                throw new UnsupportedOperationException(null == kernels ? "there are no kernels for " + kind +
                    " memory" : "the second device does not reach the first one");
            }

            final long tookNs = readByKernel(world, kind, kernels, setup.rounds());
            return new Shown(setup.rounds() + " rounds of " + SLOT + " B, read by a kernel",
                Map.of("rounds", (double)setup.rounds(), "micros_per_round", tookNs / 1e3 / setup.rounds()));
        }
    }

    private static long readByKernel(
        final World world, final MemoryKind kind, final RowKernels kernels, final int rounds)
    {
        try (Lane lane = new Lane(world, 1, 0, kind, kind, SLOTS * SLOT);
            MemoryRegion seen = world.allocate(0, MemoryKind.HOST, SLOTS * SLOT, Access.LOCAL))
        {
            DeviceMemory.fill(world, 1, lane.source);
            final byte[] all = DeviceMemory.pattern(0, SLOTS * SLOT);
            final byte[] read = new byte[SLOTS * SLOT];
            final RowList rows = kernels.allocateRows(SLOTS).rowLength(SLOT);
            for (int slot = 0; slot < SLOTS; slot++)
            {
                rows.set(slot, 0, (long)slot * SLOT);
            }

            final long beginNs = System.nanoTime();
            for (int round = 1; round <= rounds; round++)
            {
                final int slot = (round - 1) % SLOTS;
                lane.put((long)slot * SLOT, 0, SLOT);
                lane.publish(0, 0 == (round & 1));
                lane.awaitSignal(0, round);
                world.worker(0).acquire(lane.target);
                final long position = world.submit("copy by a kernel",
                    () -> kernels.copyRows(lane.target, seen, rows, slot, 1));
                world.await(() -> "the kernel of position " + position + ", at " + kernels.completedPosition(),
                    () -> kernels.completedPosition() >= position);
                if (SLOTS - 1 == slot || rounds == round)
                {
                    final int length = (slot + 1) * SLOT;
                    seen.hostView(0, length).get(read, 0, length);
                    DeviceMemory.compare(Arrays.copyOf(all, length), Arrays.copyOf(read, length), 0,
                        "what kernels read up to round " + round + ", " + lane);
                    // The next turn has to be read anew.
                    seen.hostView(0, length).put(new byte[length]);
                }
            }

            return System.nanoTime() - beginNs;
        }
    }

    /** All ranks add to a rank's signals, each by several channels; what they sum up to is known. */
    static Shown adds(final DeviceSetup setup)
    {
        try (World world = setup.open())
        {
            final List<Integer> ranks = new ArrayList<>();
            for (int rank = 0; rank < setup.devices().size(); rank++)
            {
                if (DeviceSetup.isReachable(world, rank, 0))
                {
                    ranks.add(rank);
                }
            }

            final int writers = ranks.size() * CHANNELS;
            final boolean isShared = world.transport(0).capabilities().has(Capability.SHARED_SIGNALS);
            final SignalRegion signals =
                world.transport(0).allocateSignals(1 + (isShared ? 1 : writers), isShared ? writers : 1);
            final List<Channel> channels = new ArrayList<>();
            final List<RemoteSignals> imports = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++)
            {
                final int rank = ranks.get(writer / CHANNELS);
                channels.add(world.connect(rank, 0));
                imports.add(world.worker(rank).importSignals(0, signals.descriptor()));
            }

            final long beginNs = System.nanoTime();
            final long[] expected = add(world, channels, imports, isShared);
            channels.forEach(world::flush);
            final long tookNs = System.nanoTime() - beginNs;
            for (int i = 0; i < expected.length; i++)
            {
                world.awaitSignal(0, signals, i, expected[i]);
                if (signals.getAcquire(i) != expected[i])
                {
                    throw new AssertionError("the adds to signal " + i + " sum to " + signals.getAcquire(i) +
                        ", expected " + expected[i]);
                }
            }

            return new Shown(writers + " writers, " + ADDS + " adds each, " + (isShared ? "to one word" :
                "to a word each"), Map.of("writers", (double)writers, "adds_per_second",
                1e9 * writers * ADDS / tookNs));
        }
    }

    /** What the signals have to sum up to, by index; nobody adds to the last one. */
    private static long[] add(final World world, final List<Channel> channels, final List<RemoteSignals> imports,
        final boolean isShared)
    {
        final long[] expected = new long[1 + (isShared ? 1 : channels.size())];
        for (int i = 0; i < ADDS; i++)
        {
            for (int writer = 0; writer < channels.size(); writer++)
            {
                final long delta = 1L + i % 61 + ((long)writer << 20);
                final int index = isShared ? 0 : writer;
                final int which = writer;
                world.submit("add", () -> channels.get(which).atomicAdd(imports.get(which), index, delta));
                expected[index] += delta;
            }
        }

        return expected;
    }

    /** A rank is killed: its channels fail, its memory can't be imported any more, and nothing else stops. */
    static Shown peerExit(final DeviceSetup setup)
    {
        try (World world = setup.openSpread())
        {
            if (!DeviceSetup.isReachable(world, 0, 1))
            {
                throw new UnsupportedOperationException("the first device does not reach the second one");
            }

            final MemoryKind kind = DeviceSetup.kind(world);
            final Lane dying = new Lane(world, 0, 1, kind, kind, BYTES);
            dying.put(0, 0, BYTES);
            dying.flush();
            final MemoryRegion other = world.allocate(1, kind, BYTES, Access.REMOTE);
            final ByteBuffer descriptor = other.descriptor();
            if (!world.fixture().kill(1))
            {
                throw new UnsupportedOperationException("the rank cannot be killed");
            }

            world.forget(1);
            final long beginNs = System.nanoTime();
            world.await(() -> "the channel to a killed rank to fail", () -> Channel.FAILED == dying.channel.fence());
            final long noticedNs = System.nanoTime() - beginNs;
            if (!(dying.channel.failure() instanceof final PeerFailedException cause) || 1 != cause.peer())
            {
                throw new AssertionError("the channel to a killed rank failed without saying that rank 1 is gone: " +
                    dying.channel.failure());
            }

            final String refusal = importOfDead(world, descriptor);
            try (Lane own = new Lane(world, 0, 0, kind, kind, BYTES))
            {
                DeviceMemory.fill(world, 0, own.source);
                own.put(0, 0, BYTES);
                own.flush();
                world.worker(0).acquire(own.target);
                DeviceMemory.check(world, 0, own.target, 0, BYTES, 0, "put to the own rank after the peer's exit");
            }

            return new Shown("after the exit of a rank, its channel failed and an import " + refusal,
                Map.of("noticed_ms", noticedNs / (double)TimeUnit.MILLISECONDS.toNanos(1)));
        }
    }

    /** Either answer is allowed; what counts is that there is one. */
    private static String importOfDead(final World world, final ByteBuffer descriptor)
    {
        try
        {
            world.worker(0).importRegion(1, descriptor).close();
            return "was accepted";
        }
        catch (final TransportException ex)
        {
            return "was refused: " + ex.getMessage();
        }
    }
}
