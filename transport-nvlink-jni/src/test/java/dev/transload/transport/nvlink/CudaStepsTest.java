/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.ScaleFormat;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepScales;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepStatus;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.PlainRegion;
import dev.transload.transport.nvlink.cuda.CudaGraph;
import dev.transload.transport.nvlink.cuda.CudaStream;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What steps of a GPU do beside the rules: graphs, leases in real time, masks and refusals. */
class CudaStepsTest
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    /** Of tests that wait for it; long enough for machines that have other things to do. */
    private static final long SHORT_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(1500);

    private static final int ROUNDS = 5;
    private static final int SUBMISSIONS = 100;

    @Test
    void shouldRunCapturedStepsWheneverTheirGraphIsLaunched()
    {
        try (StepRanks world = new StepRanks(2, TIMEOUT_NS, 3))
        {
            final List<CudaStream> streams = new ArrayList<>();
            final List<CudaGraph> graphs = new ArrayList<>();
            for (final StepRanks.Rank rank : world.ranks)
            {
                final CudaStream stream = Emulator.device(rank.rank).openStream();
                final DeviceQueue queue = new DeviceQueue(MemoryKind.CUDA, rank.rank, stream.handle());
                streams.add(stream);
                graphs.add(CudaGraph.capture(stream.device(), stream.handle(), () ->
                {
                    assertEquals(0, rank.submit(queue, rank.dispatch), "position of a captured step");
                    assertEquals(0, rank.submit(queue, rank.combine), "position of a captured step");
                }));
                assertEquals(0, rank.session.status().ended(), "steps that have run by being captured");
            }

            for (int round = 1; round <= ROUNDS; round++)
            {
                final int replay = round;
                world.ranks.forEach((rank) -> rank.fill(replay));
                world.ranks.forEach((rank) -> graphs.get(rank.rank).launch(streams.get(rank.rank).handle()));
                streams.forEach((stream) -> world.await(stream.mark(), stream));
                world.verify(replay);
                assertEquals(2 * replay, world.ranks.get(0).session.status().ended());
                assertEquals(replay, world.ranks.get(0).session.status().call());
            }

            world.call(ROUNDS + 1);
            world.verify(ROUNDS + 1);
            assertEquals(2, world.ranks.get(0).session.position(), "steps that were submitted, and not captured");
            graphs.forEach(CudaGraph::close);
            streams.forEach(CudaStream::close);
        }
    }

    @Test
    void shouldLeaveOutAnswersWhoseLeaseIsOver()
    {
        final long timeoutNs = SHORT_TIMEOUT_NS;
        try (StepRanks world = new StepRanks(2, timeoutNs, 2))
        {
            final StepRanks.Rank late = world.ranks.get(0);
            final StepRanks.Rank owner = world.ranks.get(1);
            world.ranks.forEach((rank) -> rank.fill(1));
            world.ranks.forEach((rank) -> rank.submit(rank.dispatch));
            world.ranks.forEach(StepRanks.Rank::finish);
            // Its answers are there before they are asked for: nobody knows since when.
            final long sinceNs = System.nanoTime();
            owner.submit(owner.combine);
            while (System.nanoTime() - sinceNs < timeoutNs * 5 / 8)
            {
                LockSupport.parkNanos(timeoutNs / 100);
            }

            late.submit(late.combine);
            late.finish();
            owner.finish();
            final StepStatus status = late.session.status();
            assertEquals(StepStatus.LATE, status.state(owner.rank));
            assertEquals(StepOp.REDUCE, status.maskedIn(owner.rank));
            assertEquals(2, status.leftOut());
            assertArrayEquals(new byte[] {0, 0, 1, 1}, late.leftOut());
            final int half = StepRanks.TOKENS / 2 * StepRanks.HIDDEN * Short.BYTES;
            assertArrayEquals(new byte[half], world.fixture.read(late.combined, half, half), "sums of nothing");
        }
    }

    @Test
    void shouldMaskARankThatMakesAnotherCall()
    {
        try (StepRanks world = new StepRanks(2, TIMEOUT_NS, 2))
        {
            world.ranks.forEach((rank) -> rank.fill(1));
            final StepRanks.Rank other = world.ranks.get(1);
            world.ranks.get(0).submit(world.ranks.get(0).dispatch);
            other.session.submit(new DeviceQueue(MemoryKind.CUDA, 1, 0), other.dispatch, other.arguments()
                .fp8(StepRanks.NUMBER, StepPlacement.DIRECT, ScaleFormat.AMAX, StepScales.ROWS));
            for (final StepRanks.Rank rank : world.ranks)
            {
                rank.finish();
                assertTrue(rank.session.status().isOtherCall(1 - rank.rank));
                assertEquals(StepOp.STARTS, rank.session.status().maskedIn(1 - rank.rank));
                assertEquals(1, rank.rows(rank.rank));
                assertEquals(0, rank.rows(1 - rank.rank));
            }
        }
    }

    @Test
    void shouldSayThatASourceHasNoRowsWhichStoppedAmidThem()
    {
        try (StepRanks world = new StepRanks(2, SHORT_TIMEOUT_NS, 2))
        {
            final StepRanks.Rank rank = begun(world);
            rank.finish();
            assertEquals(StepStatus.SILENT, rank.session.status().state(1));
            assertEquals(StepOp.AWAIT, rank.session.status().maskedIn(1));
            assertEquals(1, rank.rows(0));
            assertEquals(0, rank.rows(1), "rows of the rank that stopped");
        }
    }

    /** Rank 0 has got all from rank 1 but its rows. */
    private static StepRanks.Rank begun(final StepRanks world)
    {
        final StepRanks.Rank rank = world.ranks.get(0);
        rank.fill(1);
        rank.tell(1, true);
        rank.tell(1, false);
        rank.submit(rank.dispatch);
        return rank;
    }

    @Test
    void shouldNotGrantAnewWhatAMaskedRankMayStillUse()
    {
        final long timeoutNs = SHORT_TIMEOUT_NS;
        try (StepRanks world = new StepRanks(2, timeoutNs, 2))
        {
            final StepRanks.Rank rank = begun(world);
            final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
            while (1 != rank.rows(1))
            {
                assertTrue(System.nanoTime() - deadlineNs < 0, "rank 1 was not granted its place");
                world.fixture.pump();
            }

            rank.session.mask(1);
            rank.finish();
            assertEquals(StepStatus.ASKED, rank.session.status().state(1));
            final long begunNs = rank.session.status().beginNs();
            rank.submit(rank.dispatch);
            rank.finish();
            final long passedNs = rank.session.status().endNs() - begunNs;
            assertTrue(passedNs >= timeoutNs, "places were granted anew " + passedNs + " ns after the call had begun");
        }
    }

    @Test
    void shouldLeaveMaskedRanksOutUntilTheyAreActivated()
    {
        try (StepRanks world = new StepRanks(3, TIMEOUT_NS, 2))
        {
            world.call(1);
            world.verify(1);
            final StepRanks.Rank lost = world.ranks.get(2);
            for (final StepRanks.Rank rank : world.ranks.subList(0, 2))
            {
                rank.session.mask(lost.rank);
                assertEquals(StepStatus.ASKED, rank.session.status().state(lost.rank));
                lost.session.mask(rank.rank);
            }

            world.call(2);
            assertFalse(world.ranks.get(0).session.status().isActive(lost.rank));
            assertEquals(0, world.ranks.get(0).session.status().leftOut(), "experts 0 to 3 are of ranks 0 and 1");
            assertEquals(StepRanks.TOKENS, lost.session.status().leftOut());
            for (final StepRanks.Rank rank : world.ranks.subList(0, 2))
            {
                rank.session.activate(lost.rank, StepRanks.peer(lost), 2);
                lost.session.activate(rank.rank, StepRanks.peer(rank), 2);
                assertTrue(rank.session.status().isActive(lost.rank));
            }

            world.call(3);
            world.verify(3);
            assertThrows(IllegalArgumentException.class,
                () -> world.ranks.get(0).session.activate(lost.rank, StepRanks.peer(lost), 1), "an older generation");
        }
    }

    @Test
    void shouldRefuseBlocksThatLeaveNoRoomForOthers()
    {
        try (StepRanks world = new StepRanks(2, TIMEOUT_NS, 1))
        {
            // Both ranks on one device, each with a lane by now.
            final StepRanks.Rank rank = world.ranks.get(0);
            final List<StepPeer> peers = List.of(StepRanks.peer(rank), StepRanks.peer(rank));
            final String message = assertThrows(IllegalArgumentException.class,
                () -> rank.steps().open(StepRanks.shape(2, 0, TIMEOUT_NS, 44), peers, null)).getMessage();
            assertTrue(message.startsWith("blocks = 44 is not allowed: 2 ranks of 2 lanes share device 0 "), message);
            assertTrue(message.endsWith("with 132 multiprocessors, where at most 43 leave room for all"), message);
            final StepSession second = rank.steps().open(StepRanks.shape(2, 0, TIMEOUT_NS, 43), peers, null);
            second.close();
            rank.steps().open(StepRanks.shape(2, 0, TIMEOUT_NS, 43), peers, null).close();
        }
    }

    @Test
    void shouldRefuseWhatAGpuCannotRead()
    {
        try (StepRanks world = new StepRanks(1, TIMEOUT_NS, 1))
        {
            final StepRanks.Rank rank = world.ranks.get(0);
            refused("x is in CUDA memory at ", rank,
                rank.arguments().x(rank.x, 8, StepRanks.TOKENS - 1, StepRanks.HIDDEN), 0);
            final MemoryRegion host =
                PlainRegion.host(new byte[StepRanks.TOKENS * StepRanks.HIDDEN * Short.BYTES + Integer.BYTES]);
            refused("x is in HOST memory at ", rank,
                rank.arguments().x(host, 0, StepRanks.TOKENS, StepRanks.HIDDEN), 0);
            refused("ids is at ", rank, rank.arguments().ids(host, 2, Integer.BYTES, 1, StepRanks.TOKENS), 0);
            refused("queue = ", rank, rank.arguments(), 1);
            assertThrows(IllegalArgumentException.class, () -> rank.session.compile(StepProgram.FAR_COMBINE));
        }
    }

    private static void refused(
        final String begin, final StepRanks.Rank rank, final StepArguments arguments, final int device)
    {
        final String message = assertThrows(IllegalArgumentException.class, () -> rank.session.submit(
            new DeviceQueue(MemoryKind.CUDA, device, device), rank.dispatch, arguments)).getMessage();
        assertTrue(message.startsWith(begin), message);
    }

    @Test
    void shouldAllocateNothingBySubmitting()
    {
        try (StepRanks world = new StepRanks(1, TIMEOUT_NS, 1); CudaStream stream = Emulator.device(0).openStream())
        {
            final StepRanks.Rank rank = world.ranks.get(0);
            final DeviceQueue queue = new DeviceQueue(MemoryKind.CUDA, 0, stream.handle());
            final StepArguments arguments = rank.arguments();
            final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
            long least = Long.MAX_VALUE;
            for (int i = 0; i < SUBMISSIONS; i++)
            {
                final long before = threads.getCurrentThreadAllocatedBytes();
                rank.session.submit(queue, rank.dispatch, arguments);
                rank.session.submit(queue, rank.combine, arguments);
                rank.session.progress();
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
                rank.finish();
            }

            assertEquals(0, least, "bytes of a dispatch and a combine, once they are warm");
        }
    }
}
