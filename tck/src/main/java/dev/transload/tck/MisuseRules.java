/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.Worker;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.function.Executable;

/** Rules MIS: misuse throws at once, names the argument, and has no effect. */
interface MisuseRules extends ConformanceCase
{
    /** Bytes of the longest put of a test. */
    long LONGEST_TESTED = 1L << 26;

    @Rule("MIS-1")
    default void mis1RangesOutsideARegionAreRefused()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            final int unit = world.aligned(8);
            final RowList rows = world.transport(0).allocateRows(2).rowLength(unit);
            rows.set(0, 0, 0);
            rows.set(1, 0, Lane.BYTES);
            refused(lane, List.of(
                () -> lane.channel.put(lane.source, Lane.BYTES, lane.remote, 0, unit),
                () -> lane.channel.put(lane.source, 0, lane.remote, Lane.BYTES, unit),
                () -> lane.channel.put(lane.source, -unit, lane.remote, 0, unit),
                () -> lane.channel.put(lane.source, 0, lane.remote, -unit, unit),
                () -> lane.channel.put(lane.source, 0, lane.remote, 0, -unit),
                () -> lane.channel.put(lane.source, unit, lane.remote, 0, Long.MAX_VALUE & -unit),
                () -> lane.channel.load(lane.remote, Lane.BYTES, lane.source, 0, unit),
                () -> lane.channel.load(lane.remote, 0, lane.source, Lane.BYTES, unit),
                () -> lane.channel.putRows(lane.source, lane.remote, rows, 0, 2),
                () -> lane.channel.putRows(lane.source, lane.remote, rows, 1, 2),
                () -> lane.channel.putRows(lane.source, lane.remote, rows, -1, 1),
                () -> lane.channel.atomicAdd(lane.remoteSignals, Lane.SIGNALS, 1),
                () -> lane.channel.atomicAdd(lane.remoteSignals, -1, 1)));
            refusedSignals(lane, List.of(
                () -> lane.channel.signal(lane.remoteSignals, Lane.SIGNALS, 1),
                () -> lane.channel.signal(lane.remoteSignals, -1, 1)));
        });
    }

    @Rule("MIS-2")
    default void mis2ImportsOfOthersAreRefused()
    {
        in(3, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            final Lane elsewhere = world.lane(0, 2, MemoryKind.HOST);
            final int unit = world.aligned(8);
            refused(lane, List.of(
                () -> lane.channel.put(lane.source, 0, elsewhere.remote, 0, unit),
                () -> lane.channel.load(elsewhere.remote, 0, lane.source, 0, unit),
                () -> lane.channel.atomicAdd(elsewhere.remoteSignals, 0, 1),
                () -> lane.channel.put(elsewhere.target, 0, lane.remote, 0, unit)));
            refusedSignals(lane, List.of(() -> lane.channel.signal(elsewhere.remoteSignals, 0, 1)));
            if (world.transport(0).capabilities().maxWorkers() > 1)
            {
                final Worker other = world.transport(0).openWorker(1);
                final RemoteRegion foreign = other.importRegion(1, lane.target.descriptor());
                refused(lane, List.of(() -> lane.channel.put(lane.source, 0, foreign, 0, unit)));
            }
        });
    }

    @Rule("MIS-3")
    default void mis3WhatIsClosedIsRefused()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            final int unit = world.aligned(8);
            final MemoryRegion closed = world.allocate(0, MemoryKind.HOST, Lane.BYTES, Access.LOCAL);
            closed.close();
            refused(lane, List.of(() -> lane.channel.put(closed, 0, lane.remote, 0, unit)));
            lane.remote.close();
            lane.remoteSignals.close();
            refused(lane, List.of(
                () -> lane.channel.put(lane.source, 0, lane.remote, 0, unit),
                () -> lane.channel.atomicAdd(lane.remoteSignals, 0, 1)));
            refusedSignals(lane, List.of(() -> lane.channel.signal(lane.remoteSignals, 0, 1)));
        });
    }

    @Rule("MIS-4")
    default void mis4DeltasAndWordsThatAreNotAllowedAreRefused()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            refused(lane, List.of(
                () -> lane.channel.atomicAdd(lane.remoteSignals, 0, 0),
                () -> lane.channel.atomicAdd(lane.remoteSignals, 0, -1)));
            refusedSignals(lane, List.of(
                () -> lane.channel.signal(lane.remoteSignals, 0, 0),
                () -> lane.channel.signal(lane.remoteSignals, 0, -1)));
            if (world.transport(0).capabilities().has(Capability.REGION_ATOMICS))
            {
                refused(lane, List.of(() -> lane.channel.atomicAdd(lane.remote, 4, 1)));
            }
        });
    }

    @Rule("MIS-5")
    default void mis5OffsetsThatAreNotAlignedAreRefused()
    {
        in(2, (world) ->
        {
            final int unit = world.alignment();
            Assumptions.assumeTrue(unit > 1, "the transport puts at any offset");
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            refused(lane, List.of(
                () -> lane.channel.put(lane.source, 1, lane.remote, 0, unit),
                () -> lane.channel.put(lane.source, 0, lane.remote, 1, unit),
                () -> lane.channel.put(lane.source, 0, lane.remote, 0, unit - 1),
                () -> lane.channel.load(lane.remote, 1, lane.source, 0, unit)));
        });
    }

    @Rule("MIS-6")
    default void mis6AWorkerIndexIsOpenOnce()
    {
        in(1, (world) ->
        {
            final Worker first = world.transport(0).openWorker(0);
            assertThrows(IllegalStateException.class, () -> world.transport(0).openWorker(0));
            assertThrows(IllegalArgumentException.class, () -> world.transport(0).openWorker(-1));
            final int beyond = world.transport(0).capabilities().maxWorkers();
            assertThrows(IllegalArgumentException.class, () -> world.transport(0).openWorker(beyond));
            first.close();
        });
    }

    @Rule("MIS-7")
    default void mis7PutsThatAreTooLongAreRefused()
    {
        in(2, (world) ->
        {
            final long longest = world.transport(0).capabilities().maxPutLength();
            Assumptions.assumeTrue(longest < world.transport(0).capabilities().maxRegionLength(),
                "a put may be as long as a region");
            Assumptions.assumeTrue(longest <= LONGEST_TESTED,
                () -> "puts may be longer than " + LONGEST_TESTED + " bytes, which is too much memory for a test");
            final long tooLong = longest / world.alignment() * world.alignment() + world.alignment();
            final Lane lane = new Lane(world, 0, 1, MemoryKind.HOST, MemoryKind.HOST, tooLong);
            refused(lane, List.of(
                () -> lane.channel.put(lane.source, 0, lane.remote, 0, tooLong),
                () -> lane.channel.load(lane.remote, 0, lane.source, 0, tooLong)));
        });
    }

    private static void refused(final Lane lane, final List<Executable> misuses)
    {
        refused(lane, misuses, 0);
    }

    /** Each may have fenced. */
    private static void refusedSignals(final Lane lane, final List<Executable> misuses)
    {
        refused(lane, misuses, 1);
    }

    private static void refused(final Lane lane, final List<Executable> misuses, final int mostMoved)
    {
        for (int i = 0; i < misuses.size(); i++)
        {
            final String which = "misuse " + i + " of the test";
            final long before = lane.channel.position();
            // A signal may be refused for want of room for its fence before it is looked at.
            final RuntimeException thrown = 0 == mostMoved ?
                assertThrows(RuntimeException.class, misuses.get(i), which) : untilThrown(lane, misuses.get(i), which);
            assertTrue(thrown instanceof IllegalArgumentException || thrown instanceof IllegalStateException ||
                thrown instanceof IndexOutOfBoundsException, which + " threw " + thrown);
            assertTrue(lane.channel.position() - before <= mostMoved, which + " moved the position");
        }

        lane.flush();
        assertArrayEquals(new byte[Lane.BYTES], lane.acquired(Lane.BYTES), "misuse had an effect");
        assertEquals(0, lane.signals.getAcquire(0), "misuse had an effect");
    }

    private static RuntimeException untilThrown(final Lane lane, final Executable misuse, final String which)
    {
        final RuntimeException[] thrown = new RuntimeException[1];
        lane.world.await(() -> which + " to throw", () ->
        {
            try
            {
                misuse.execute();
            }
            catch (final RuntimeException ex)
            {
                thrown[0] = ex;
            }
            catch (final Throwable ex)
            {
                throw new AssertionError(which, ex);
            }

            return null != thrown[0];
        });
        return thrown[0];
    }
}
