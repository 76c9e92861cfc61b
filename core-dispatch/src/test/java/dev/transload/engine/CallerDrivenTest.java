/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Engines without threads, each driven by the thread of its rank, which does nothing but wait. */
@Timeout(120)
class CallerDrivenTest
{
    private static final int CALLS = 20;
    private static final int MOST_WAITING = 1024;

    @Test
    void shouldMoveRowsWhileCallersWait()
    {
        final Scenario scenario = new Scenario(21);
        final AtomicInteger ended = new AtomicInteger();
        try (DrivenWorld world = new DrivenWorld(scenario))
        {
            world.onEachRank((rank) ->
            {
                final Engine engine = world.engines.get(rank);
                engine.awaitReady();
                assertTrue(engine.isReady());
                try
                {
                    callAndVerify(world, rank);
                }
                finally
                {
                    ended.incrementAndGet();
                }

                assertTrue(engine.drive(() -> ended.get() == scenario.ranks()));
            });
        }
    }

    private static void callAndVerify(final DrivenWorld world, final int rank)
    {
        final Engine engine = world.engines.get(rank);
        for (int call = 0; call < CALLS; call++)
        {
            final DispatchResult result = engine.dispatch(world.dispatchRequest(rank, null)).await();
            world.verifyDispatch(rank, result);
            world.verifyCombined(rank, engine.combine(world.combineRequest(rank, result)).await());
            result.handle().close();
        }
    }

    @Test
    void shouldKeepTheInterruptOfACallerThatWaits()
    {
        final Scenario scenario = new Scenario(22);
        final AtomicInteger ended = new AtomicInteger();
        try (DrivenWorld world = new DrivenWorld(scenario))
        {
            world.onEachRank((rank) ->
            {
                final Engine engine = world.engines.get(rank);
                final Completion<DispatchResult> call = engine.dispatch(world.dispatchRequest(rank, null));
                Thread.currentThread().interrupt();
                try
                {
                    world.verifyDispatch(rank, call.await());
                }
                finally
                {
                    ended.incrementAndGet();
                }

                assertTrue(engine.drive(() -> ended.get() == scenario.ranks()));
                assertTrue(Thread.interrupted());
            });
        }
    }

    /** The engine is not retired by it: what waits is done, and so is the next call. */
    @Test
    void shouldRefuseACallWhereTooManyWait()
    {
        final Scenario scenario = new Scenario(25);
        scenario.nodes = 1;
        scenario.ranksPerNode = 1;
        scenario.tokens = new int[]{ 1 };
        try (DrivenWorld world = new DrivenWorld(scenario))
        {
            world.onEachRank((rank) ->
            {
                final Engine engine = world.engines.get(rank);
                engine.awaitReady();
                final List<Completion<DispatchResult>> waiting = new ArrayList<>();
                for (int call = 0; call < MOST_WAITING; call++)
                {
                    waiting.add(engine.dispatch(world.dispatchRequest(rank, null)));
                }

                Messages.assertRefused(IllegalStateException.class,
                    () -> engine.dispatch(world.dispatchRequest(rank, null)), "1024 calls are waiting");
                waiting.forEach((call) -> call.await().handle().close());
                world.verifyDispatch(rank, engine.dispatch(world.dispatchRequest(rank, null)).await());
            });
        }
    }

    @Test
    void shouldDriveNoLongerThanThereIsSomethingToDo()
    {
        try (DrivenWorld world = new DrivenWorld(new Scenario(23)))
        {
            final AtomicInteger refused = new AtomicInteger();
            world.rendezvous.get(3).lose("its process was killed");
            world.onEachRank((rank) ->
            {
                if (3 != rank)
                {
                    assertFalse(world.engines.get(rank).drive(() -> false));
                    refused.incrementAndGet();
                }
            });
            assertEquals(3, refused.get());
        }
    }

    @Test
    void shouldSayWhyAnEngineIsNotReady() throws InterruptedException
    {
        try (DrivenWorld world = new DrivenWorld(new Scenario(24)))
        {
            final CountDownLatch told = new CountDownLatch(1);
            world.rendezvous.get(0).listen(new RendezvousListener()
            {
                @Override
                public void onMemberLost(final Member member, final Loss loss, final String reason)
                {
                    // On the thread that told the engine, which listened first.
                    told.countDown();
                }

                @Override
                public void onAnnouncement(final int rank, final ByteBuffer message)
                {
                    // Announcements follow the loss.
                }
            });
            world.rendezvous.get(2).lose("its process was killed");
            told.await();
            Messages.assertRefused(
                CallFailedException.class, world.engines.get(0)::awaitReady, "rank 2", "its process was killed");
        }
    }
}
