/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.OutputLayout;
import dev.transload.engine.Tensor;
import dev.transload.engine.World;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.normal.Board;
import dev.transload.engine.internal.normal.Call;
import dev.transload.engine.internal.normal.TopkMirrors;
import dev.transload.engine.internal.plan.Plan;
import dev.transload.engine.internal.world.Geometry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** That every call ends, whatever happens to the engine around it. */
class ConductorTest
{
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Geometry geometry = new Geometry(
        new World(1, 1, 0), EngineConfig.builder().threads(1).scaleUp("none").scaleOut("none").build());
    private final CallStatistics book = new CallStatistics(geometry);
    private final Board board = new Board();
    private final List<TopkMirrors> released = new CopyOnWriteArrayList<>();

    @Test
    void shouldEndTheWaitOfEveryThread() throws InterruptedException, ExecutionException
    {
        final WaitedCall call = new WaitedCall(false);
        final List<FutureTask<Void>> waits = new ArrayList<>();
        for (int i = 0; i < 2; i++)
        {
            final FutureTask<Void> wait = new FutureTask<>(call::waitForEnd, null);
            final Thread thread = new Thread(wait);
            thread.setDaemon(true);
            thread.start();
            waits.add(wait);
            assertTimeoutPreemptively(LIMIT, () ->
            {
                while (Thread.State.WAITING != thread.getState() && Thread.State.TIMED_WAITING != thread.getState())
                {
                    Thread.onSpinWait();
                }
            });
        }

        call.end(new CallFailedException(Reason.DEADLINE, 3, "too late", null), book::enter);
        for (final FutureTask<Void> wait : waits)
        {
            final ExecutionException ex = assertTimeoutPreemptively(
                LIMIT, () -> assertThrows(ExecutionException.class, wait::get));
            assertEquals(3, ((CallFailedException)ex.getCause()).peer());
        }
    }

    @Test
    void shouldEndACallWhoseResultCannotBeMade()
    {
        final WaitedCall call = new WaitedCall(true);
        assertTimeoutPreemptively(LIMIT, () ->
        {
            call.end(null, book::enter);
            assertEquals(Reason.INTERNAL, assertThrows(CallFailedException.class, call::waitForEnd).reason());
            assertEquals(List.of(call.mirrors()), released);
        });
    }

    @Test
    void shouldRevokeChannelsWhileTheRendezvousBlocks()
    {
        final CountDownLatch unblocked = new CountDownLatch(1);
        final Conductor conductor = conductor((failure) -> awaitLatch(unblocked));
        final WaitedCall call = new WaitedCall(false);
        conductor.submit(call);
        board.fail(Reason.PEER_FAILED, 1, "rank 1 is gone", null);
        assertTimeoutPreemptively(LIMIT, () ->
        {
            conductor.doWork(System.nanoTime());
            assertTrue(board.isRevoked());
            unblocked.countDown();
            while (!call.isDone())
            {
                conductor.doWork(System.nanoTime());
            }
        });
        assertEquals(1, assertThrows(CallFailedException.class, call::waitForEnd).peer());
    }

    @Test
    void shouldRefuseWhatWasSubmittedWhileTheEngineStopped()
    {
        final Conductor conductor = conductor((failure) -> {});
        final WaitedCall call = new WaitedCall(false);
        conductor.submit(call);
        assertFalse(call.isDone());
        board.fail(Reason.RETIRED, -1, "it was closed", null);
        conductor.stop();
        assertTrue(call.isDone());
    }

    private Conductor conductor(final Consumer<CallFailedException> announcer)
    {
        return new Conductor(
            board, geometry, new ArenaMap(geometry, false), List.of(), exchange(announcer), List.of(), book,
            null);
    }

    private static FailureExchange exchange(final Consumer<CallFailedException> announcer)
    {
        return new FailureExchange()
        {
            @Override
            public void announce(final CallFailedException failure)
            {
                announcer.accept(failure);
            }

            @Override
            public CallFailedException settle(final CallFailedException failure)
            {
                return failure;
            }

            @Override
            public boolean count()
            {
                return true;
            }

            @Override
            public boolean isCounted(final long call)
            {
                return false;
            }

            @Override
            public void over(final CallFailedException outcome)
            {
                // Nobody listens.
            }
        };
    }

    private static void awaitLatch(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private Plan openRoutes()
    {
        final Plan routes = new Plan(geometry, (table) -> {});
        routes.open(OutputLayout.RANK_MAJOR, 1);
        routes.retain();
        return routes;
    }

    private final class WaitedCall extends Call
    {
        private final boolean isBroken;

        private WaitedCall(final boolean isBroken)
        {
            super(Kind.COMBINE, openRoutes(), 1);
            this.isBroken = isBroken;
            chain(null, null, new TopkMirrors((bytes) -> null, released::add));
        }

        private void waitForEnd()
        {
            await(null);
        }

        @Override
        protected boolean isClearToSendKnown()
        {
            return true;
        }

        @Override
        public boolean isExposed()
        {
            return false;
        }

        @Override
        protected Tensor exposed(final int index)
        {
            return null;
        }

        @Override
        public int rowBytes()
        {
            return 1;
        }

        @Override
        protected boolean isPaired()
        {
            return false;
        }

        @Override
        public int starts(final Geometry sizes)
        {
            return sizes.nodes();
        }

        @Override
        protected void conclude()
        {
            if (isBroken)
            {
                throw new OutOfMemoryError("no room for the result");
            }
        }
    }
}
