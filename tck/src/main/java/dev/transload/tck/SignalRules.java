/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.UnsupportedCapabilityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Rules SIG: counters that peers add to. */
interface SignalRules extends ConformanceCase
{
    /** Adds of a test that looks for lost ones. */
    int ADDS = 500;

    /** How often a test closes signals while they are read. */
    int CLOSES = 5;

    /** Most threads that read signals at the same time. */
    int MAX_READERS = 16;

    @Rule("SIG-1")
    default void sig1SignalsStartAtZero()
    {
        in(1, (world) ->
        {
            final SignalRegion signals = world.transport(0).allocateSignals(Lane.SIGNALS, 1);
            assertEquals(Lane.SIGNALS, signals.count());
            for (int i = 0; i < Lane.SIGNALS; i++)
            {
                assertEquals(0, signals.getAcquire(i), "signal " + i);
            }

            assertThrows(IllegalArgumentException.class, () -> world.transport(0).allocateSignals(0, 1));
            assertReusedSignalsStartAtZero(world);
        });
    }

    @Rule("SIG-2")
    default void sig2AddsAreMonotoneAndNoneIsLost()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            long expected = 0;
            long seen = 0;
            for (int i = 1; i <= ADDS; i++)
            {
                lane.add(1, i);
                expected += i;
                final long now = lane.signals.getAcquire(1);
                assertTrue(now >= seen, "signal 1 went back from " + seen + " to " + now);
                seen = now;
            }

            lane.flush();
            lane.awaitSignal(1, expected);
            assertEquals(expected, lane.signals.getAcquire(1));
            assertEquals(0, lane.signals.getAcquire(0), "a neighbour was added to");
            assertEquals(0, lane.signals.getAcquire(2), "a neighbour was added to");
        });
    }

    @Rule("SIG-3")
    default void sig3SeveralWritersOnlyByCapability()
    {
        in(2, (world) ->
        {
            if (!world.transport(1).capabilities().has(Capability.SHARED_SIGNALS))
            {
                assertThrows(
                    UnsupportedCapabilityException.class, () -> world.transport(1).allocateSignals(1, 2));
                return;
            }

            final SignalRegion signals = world.transport(1).allocateSignals(1, AddRace.writers(world));
            final long added = new AddRace(world, (worker) ->
            {
                final RemoteSignals remote = worker.importSignals(1, signals.descriptor());
                return (channel) -> channel.atomicAdd(remote, 0, 1);
            }).run();
            world.awaitSignal(1, signals, 0, added);
            assertEquals(added, signals.getAcquire(0));
        });
    }

    @Rule("SIG-4")
    default void sig4AnyThreadMayReadASignal()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            lane.add(3, 7);
            lane.awaitSignal(3, 7);
            assertEquals(7, CompletableFuture.supplyAsync(() -> lane.signals.getAcquire(3)).join());
        });
    }

    @Rule("SIG-5")
    default void sig5SignalsOutliveTheChannelThatAdded()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            lane.add(0, 5);
            lane.flush();
            lane.awaitSignal(0, 5);
            lane.channel.close();
            final Lane next = world.lane(0, 1, MemoryKind.HOST);
            next.add(0, 1);
            next.awaitSignal(0, 1);
            assertEquals(5, lane.signals.getAcquire(0), "the signal changed after its channel was closed");
        });
    }

    @Rule("SIG-6")
    default void sig6AnImportTellsWhoseSignalsTheyAre()
    {
        in(2, (world) ->
        {
            final SignalRegion signals = world.transport(1).allocateSignals(Lane.SIGNALS, 1);
            final RemoteSignals remote = world.worker(0).importSignals(1, signals.descriptor());
            assertEquals(1, remote.peer());
            assertEquals(Lane.SIGNALS, remote.count());
            assertThrows(IllegalArgumentException.class,
                () -> world.worker(0).importSignals(0, signals.descriptor()), "imported as those of another rank");
        });
    }

    @Rule("SIG-7")
    default void sig7SignalsMayBeClosedWhileTheyAreRead()
    {
        in(1, (world) ->
        {
            final Channel channel = world.connect(0, 0);
            // Without threads nothing happens amid a read, and one round is like another.
            final int rounds = world.fixture().isThreaded() ? CLOSES : 1;
            for (int i = 0; i < rounds; i++)
            {
                final SignalRegion signals = addedTo(world, channel);
                raceReadersWith(world, signals, () ->
                {
                    signals.close();
                    reuse(world);
                });
            }

            final SignalRegion signals = addedTo(world, channel);
            raceReadersWith(world, signals, () ->
            {
                world.forget(0);
                world.transport(0).close();
            });
        });
    }

    private static void assertReusedSignalsStartAtZero(final World world)
    {
        final Channel channel = world.connect(0, 0);
        for (int round = 0; round < MemoryRules.REUSES; round++)
        {
            final List<SignalRegion> used = new ArrayList<>();
            for (int i = 0; i < MemoryRules.REUSED; i++)
            {
                used.add(addedTo(world, channel));
            }

            used.forEach(SignalRegion::close);
        }
    }

    /** New signals of rank 0, each of which starts at 0 and is 1 in the end. */
    private static SignalRegion addedTo(final World world, final Channel channel)
    {
        final SignalRegion signals = world.transport(0).allocateSignals(Lane.SIGNALS, 1);
        try (RemoteSignals remote = world.worker(0).importSignals(0, signals.descriptor()))
        {
            for (int i = 0; i < Lane.SIGNALS; i++)
            {
                final int index = i;
                assertEquals(0, signals.getAcquire(index), "signal " + index + " of signals allocated after others");
                world.submit("atomicAdd to rank 0", () -> channel.atomicAdd(remote, index, 1));
            }

            world.flush(channel);
        }

        for (int i = 0; i < Lane.SIGNALS; i++)
        {
            world.awaitSignal(0, signals, i, 1);
        }

        return signals;
    }

    /** Allocates what may get the memory of signals that were closed. */
    private static void reuse(final World world)
    {
        final List<SignalRegion> others = new ArrayList<>();
        for (int i = 0; i < MemoryRules.REUSED; i++)
        {
            others.add(world.transport(0).allocateSignals(Lane.SIGNALS, 1));
        }

        others.forEach(SignalRegion::close);
    }

    /**
     * Readers go on until they are refused. There are more of them than cores, so that some are stopped amid a read
     * while the signals are closed and others are allocated, which may get the same memory.
     */
    private static void raceReadersWith(final World world, final SignalRegion signals, final Runnable close)
    {
        final List<SignalReader> readers = new ArrayList<>();
        final int count = world.fixture().isThreaded() ?
            Math.min(MAX_READERS, 2 * Runtime.getRuntime().availableProcessors()) : 1;
        for (int i = 0; i < count; i++)
        {
            readers.add(new SignalReader(signals, i % Lane.SIGNALS));
        }

        Race.run(world, () ->
        {
            if (!readers.stream().allMatch(SignalReader::hasRead))
            {
                return false;
            }

            close.run();
            assertThrows(IllegalStateException.class, () -> signals.getAcquire(0), "closed signals are read");
            return true;
        }, readers);
    }
}
