/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.UnsupportedCapabilityException;
import java.util.concurrent.CompletableFuture;

/** Rules SIG: counters that peers add to. */
interface SignalRules extends ConformanceCase
{
    /** Adds of a test that looks for lost ones. */
    int ADDS = 500;

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
}
