/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RowList;
import java.util.Arrays;

/**
 * Transfers without any progress until a channel refuses. From then on each goes to a slot of its own, where a refused
 * one must have moved nothing.
 */
final class TransferFlood
{
    private static final int SLOT = 1024;
    private static final int SLOTS = 64;
    private static final int BYTES = SLOT * SLOTS;

    private final World world;
    private final Transfer transfer;
    private final Lane lane;
    private final RowList rows;
    private final byte[] sent = Lane.pattern(BYTES, 29);

    /** Operations that move bytes of regions. */
    enum Transfer
    {
        PUT,
        PUT_ROWS,
        LOAD
    }

    TransferFlood(final World world, final Transfer transfer)
    {
        this.world = world;
        this.transfer = transfer;
        lane = new Lane(world, 0, 1, MemoryKind.HOST, MemoryKind.HOST, BYTES);
        rows = world.transport(0).allocateRows(SLOTS).rowLength(SLOT);
        for (int slot = 0; slot < SLOTS; slot++)
        {
            rows.set(slot, (long)slot * SLOT, (long)slot * SLOT);
        }

        if (Transfer.LOAD == transfer)
        {
            world.write(1, lane.target, 0, sent);
        }
        else
        {
            world.write(0, lane.source, 0, sent);
        }
    }

    /** Looks at all slots once everything that was accepted has been delivered. */
    void run()
    {
        final byte[] expected = flood();
        lane.flush();
        final byte[] moved = moved();
        for (int slot = 0; slot < SLOTS; slot++)
        {
            final int from = slot * SLOT;
            assertArrayEquals(Arrays.copyOfRange(expected, from, from + SLOT),
                Arrays.copyOfRange(moved, from, from + SLOT), transfer + " of slot " + slot + ", which was " +
                (0 == expected[from] ? "refused" : "accepted") + ", on the " + lane);
        }
    }

    /** Transfers all slots, with progress, once the channel has refused. */
    void runAndGoOn()
    {
        flood();
        for (int slot = 0; slot < SLOTS; slot++)
        {
            final int next = slot;
            world.submit(transfer + " of slot " + slot + ", after refusals", () -> submit(next));
        }

        lane.flush();
        assertArrayEquals(sent, moved(), transfer + " after refusals, on the " + lane);
    }

    /** What the slots hold if just the transfers that were accepted are done. */
    private byte[] flood()
    {
        final byte[] expected = new byte[BYTES];
        int next = 0;
        boolean wasRefused = false;
        for (int i = 0; i < PositionRules.FLOOD && next < SLOTS - 1; i++)
        {
            next += wasRefused ? 1 : 0;
            final int slot = wasRefused ? next : 0;
            final long before = lane.channel.position();
            final long result = submit(slot);
            final long moved = lane.channel.position() - before;
            wasRefused = result < 0;
            if (wasRefused)
            {
                assertEquals(Channel.BACK_PRESSURED, result, "status of a live, connected channel");
                assertEquals(0, moved, "a refused " + transfer + " moved the position");
            }
            else
            {
                assertEquals(1, moved, "a " + transfer + " moved the position");
                System.arraycopy(sent, slot * SLOT, expected, slot * SLOT, SLOT);
            }
        }

        return expected;
    }

    private long submit(final int slot)
    {
        final long at = (long)slot * SLOT;
        switch (transfer)
        {
            case PUT:
                return lane.channel.put(lane.source, at, lane.remote, at, SLOT);

            case PUT_ROWS:
                return lane.channel.putRows(lane.source, lane.remote, rows, slot, 1);

            default:
                return lane.channel.load(lane.remote, at, lane.source, at, SLOT);
        }
    }

    private byte[] moved()
    {
        return Transfer.LOAD == transfer ? world.read(0, lane.source, 0, BYTES) : lane.acquired(BYTES);
    }
}
