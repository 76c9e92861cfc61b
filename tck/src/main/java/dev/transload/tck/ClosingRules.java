/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Rules CLS and THR: closing, and who may call what. */
interface ClosingRules extends ConformanceCase
{
    /** Threads that use one transport. */
    int THREADS = 4;

    @Rule("CLS-1")
    default void cls1ClosingATransportClosesAllThatIsItsOwn()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            for (int i = 0; i < 8; i++)
            {
                lane.put(0, 0, Lane.BYTES);
            }

            world.forget(0);
            world.transport(0).close();
            assertEquals(Channel.CLOSED, lane.channel.fence());
            world.transport(0).close();
        });
    }

    @Rule("CLS-2")
    default void cls2AClosedChannelUsesLocalMemoryNoMore()
    {
        forKinds(2, (world, kind) ->
        {
            // The pattern has no such byte.
            final byte[] late = new byte[Lane.BYTES];
            Arrays.fill(late, (byte)-1);
            for (int round = 0; round < 10; round++)
            {
                final Lane lane = world.lane(0, 1, kind);
                lane.fill(Lane.pattern(Lane.BYTES, 1));
                for (int i = 0; i < 8; i++)
                {
                    lane.channel.put(lane.source, i * 1024L, lane.remote, i * 1024L, 1024);
                }

                lane.channel.close();
                assertEquals(Channel.CLOSED, lane.channel.fence());
                world.write(0, lane.source, 0, late);
                for (int i = 0; i < 200; i++)
                {
                    world.move();
                }

                for (final byte seen : lane.acquired(Lane.BYTES))
                {
                    assertNotEquals((byte)-1, seen, "the closed channel sent what was written after close: " + lane);
                }
            }
        });
    }

    @Rule("THR-3")
    default void thr3OperationsLandWhileTheTargetCallsNothing()
    {
        in(2, (world) ->
        {
            requires(world, Capability.AUTONOMOUS_TARGET);
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            world.forget(1);
            final byte[] sent = Lane.pattern(Lane.BYTES, 41);
            lane.fill(sent);
            lane.put(0, 0, Lane.BYTES);
            lane.fence();
            lane.add(0, 1);
            lane.flush();
            assertArrayEquals(sent, world.read(1, lane.target, 0, Lane.BYTES));
        });
    }

    @Rule("THR-2")
    default void thr2AnyThreadMayUseATransport()
    {
        in(1, (world) ->
        {
            final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            try
            {
                final List<CompletableFuture<MemoryRegion>> pending = new ArrayList<>();
                for (int i = 0; i < 4 * THREADS; i++)
                {
                    pending.add(CompletableFuture.supplyAsync(
                        () -> world.allocate(0, MemoryKind.HOST, Lane.BYTES, Access.REMOTE), threads));
                }

                final Set<Long> addresses = new HashSet<>();
                pending.forEach((region) -> addresses.add(region.join().address()));
                assertEquals(pending.size(), addresses.size(), "regions share memory");
            }
            finally
            {
                threads.shutdown();
            }
        });
    }

    @Rule("CLS-4")
    default void cls4ClosingTwiceIsClosingOnce()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            for (int i = 0; i < 2; i++)
            {
                lane.remote.close();
                lane.remoteSignals.close();
                lane.channel.close();
                lane.source.close();
                lane.signals.close();
            }

            final MemoryRegion other = world.allocate(0, MemoryKind.HOST, Lane.BYTES, Access.LOCAL);
            final Worker worker = world.worker(0);
            world.forget(0);
            for (int i = 0; i < 2; i++)
            {
                worker.close();
                other.close();
            }
        });
    }

    @Rule("CLS-5")
    default void cls5OtherChannelsOutliveAClosedOne()
    {
        in(2, (world) ->
        {
            final Lane one = world.lane(0, 1, MemoryKind.HOST);
            final Lane other = world.lane(0, 1, MemoryKind.HOST);
            one.channel.close();
            other.add(0, 1);
            other.awaitSignal(0, 1);
            assertEquals(Channel.CLOSED, one.channel.fence());
        });
    }

    @Rule("CLS-6")
    default void cls6AWorkerIndexCanBeOpenedAgain()
    {
        in(1, (world) ->
        {
            world.transport(0).openWorker(0).close();
            final Worker again = world.transport(0).openWorker(0);
            assertTrue(again.progress() >= 0);
            again.close();
        });
    }
}
