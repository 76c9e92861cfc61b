/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import org.junit.jupiter.api.Assumptions;

/** Rules POS: positions, back-pressure, and what the hot path must not do. */
interface PositionRules extends ConformanceCase
{
    /** Operations of a test. */
    int OPERATIONS = 200;

    /** Most operations that a test submits without progress in search of back-pressure. */
    int FLOOD = 1 << 17;

    /** Refusals in a row after which the queue counts as full. */
    int REFUSALS = 100;

    @Rule("POS-1")
    default void pos1EachAcceptedOperationCountsOne()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            long expected = 0;
            assertEquals(expected, lane.channel.position());
            for (int i = 0; i < OPERATIONS; i++)
            {
                assertEquals(++expected, lane.put(0, 0, world.aligned(8)), "put");
                assertEquals(++expected, lane.add(0, 1), "atomicAdd");
                assertEquals(++expected, lane.fence(), "fence");
                assertEquals(++expected, world.submit("load",
                    () -> lane.channel.load(lane.remote, 0, lane.source, 0, world.aligned(8))), "load");
                assertEquals(++expected, world.submit("flush", lane.channel::flush), "flush");
                assertEquals(expected, lane.channel.position());
            }
        });
    }

    @Rule("POS-2")
    default void pos2PositionsNeverGoBackOrBeyond()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            long released = 0;
            long delivered = 0;
            for (int i = 0; i < OPERATIONS; i++)
            {
                lane.put(0, 0, world.aligned(64));
                lane.add(0, 1);
                if (0 == i % 10)
                {
                    world.submit("flush", lane.channel::flush);
                }

                final long nowReleased = lane.channel.releasedPosition();
                final long nowDelivered = lane.channel.deliveredPosition();
                assertTrue(nowReleased >= released && nowDelivered >= delivered,
                    "positions went back: released " + released + " to " + nowReleased + ", delivered " + delivered +
                    " to " + nowDelivered);
                assertTrue(Math.max(nowReleased, nowDelivered) <= lane.channel.position(),
                    "released " + nowReleased + " or delivered " + nowDelivered + " is beyond position " +
                    lane.channel.position());
                released = nowReleased;
                delivered = nowDelivered;
                world.move();
            }

            lane.flush();
        });
    }

    @Rule("POS-3")
    default void pos3FlushDeliversAllBeforeIt()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            for (int i = 0; i < OPERATIONS; i++)
            {
                lane.add(0, 1);
                final long flushed = world.submit("flush", lane.channel::flush);
                world.awaitDelivered(lane.channel, flushed);
            }

            world.awaitReleased(lane.channel, lane.channel.position());
        });
    }

    @Rule("POS-4")
    default void pos4WhatIsDeliveredIsVisible()
    {
        forKinds(2, (world, kind) ->
        {
            final Lane lane = world.lane(0, 1, kind);
            for (int round = 1; round <= OPERATIONS / 4; round++)
            {
                final byte[] sent = Lane.pattern(Lane.BYTES, round);
                lane.fill(sent);
                lane.put(0, 0, Lane.BYTES);
                lane.flush();
                assertArrayEquals(sent, lane.acquired(Lane.BYTES), "round " + round + " of " + lane);
            }
        });
    }

    @Rule("POS-5")
    default void pos5ARefusedOperationHasNoEffect()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            final long added = flood(lane, false);
            lane.flush();
            lane.awaitSignal(0, added);
            assertEquals(added, lane.signals.getAcquire(0), "refused adds were done, too");
            final long accepted = added + flood(lane, true);
            lane.flush();
            lane.awaitSignal(0, accepted);
            lane.signal(0, 1);
            lane.awaitSignal(0, accepted + 1);
            assertEquals(accepted + 1, lane.signals.getAcquire(0), "refused signals were done, too");
            for (final TransferFlood.Transfer transfer : TransferFlood.Transfer.values())
            {
                new TransferFlood(world, transfer).run();
            }
        });
    }

    @Rule("POS-6")
    default void pos6BackPressureEndsWithProgress()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            flood(lane, false);
            lane.add(0, 1);
            lane.flush();
            flood(lane, true);
            lane.signal(0, 1);
            lane.flush();
            for (final TransferFlood.Transfer transfer : TransferFlood.Transfer.values())
            {
                new TransferFlood(world, transfer).runAndGoOn();
            }
        });
    }

    @Rule("POS-7")
    default void pos7TheHotPathAllocatesNothing()
    {
        in(2, (world) ->
        {
            Assumptions.assumeTrue(world.fixture().isAllocationFree(),
                "the fixture says that this transport is a reference for tests, which may allocate");
            final HotPath path = new HotPath(world.lane(0, 1, MemoryKind.HOST));
            assertEquals(0, Allocation.leastBytes(() -> path.run(HotPath.ROUNDS)),
                "bytes allocated by " + HotPath.ROUNDS + " rounds of put, putRows, fence, add, signal");
        });
    }

    /** Adds or signals without any progress until the queue is full. */
    private static long flood(final Lane lane, final boolean bySignal)
    {
        long accepted = 0;
        int refusals = 0;
        for (int i = 0; i < FLOOD && refusals < REFUSALS; i++)
        {
            final long before = lane.channel.position();
            final long result = bySignal ? lane.channel.signal(lane.remoteSignals, 0, 1) :
                lane.channel.atomicAdd(lane.remoteSignals, 0, 1);
            final long moved = lane.channel.position() - before;
            if (result < 0)
            {
                assertEquals(Channel.BACK_PRESSURED, result, "status of a live, connected channel");
                assertTrue(0 == moved || bySignal && 1 == moved, "a refused operation moved the position");
                refusals++;
            }
            else
            {
                assertEquals(lane.channel.position(), result);
                assertTrue(1 == moved || bySignal && 2 == moved, "an operation moved the position by " + moved);
                accepted++;
                refusals = 0;
            }
        }

        return accepted;
    }
}
