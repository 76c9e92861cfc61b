/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.Traffic;
import dev.transload.spi.RemoteRegion;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chunks find their slots around the end of the ring, however few rows the channel takes at once. */
class RingPlacesTest
{
    private static final int SLOTS = 7;
    private static final int ROW_BYTES = 8;
    private static final int TAIL = 2;

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3})
    void shouldPutRowsThenMoveTheTail(final int refusalInterval)
    {
        final ConnectionRig rig = new ConnectionRig(refusalInterval, 2 * SLOTS * ROW_BYTES);
        final RemoteRegion target = rig.worker.importRegion(1, rig.target.descriptor());
        final RowSet rows = new RowSet(rig.link.transport().allocateRows(SLOTS), target);
        final RowSet unused = new RowSet(rig.link.transport().allocateRows(SLOTS), target);
        final RowSet metas = new RowSet(rig.link.transport().allocateRows(SLOTS), target);
        final RingTransfer transfer = new RingTransfer(rig.link, SLOTS, TAIL, rows, unused, metas);
        rows.use(rig.source, ROW_BYTES);
        unused.use(rig.source, 0);
        metas.use(rig.source, ROW_BYTES);
        long sent = 0;
        for (final int count : new int[]{3, 7, 1, 5, 6, 7, 2})
        {
            for (long row = sent; row < sent + count; row++)
            {
                final int at = (int)(row % SLOTS) * ROW_BYTES;
                rig.source.hostView(at, ROW_BYTES).putLong(0, row);
                rig.source.hostView(SLOTS * ROW_BYTES + at, ROW_BYTES).putLong(0, -row);
                rows.set((int)(row % SLOTS), at, at);
                metas.set((int)(row % SLOTS), SLOTS * ROW_BYTES + at, SLOTS * ROW_BYTES + at);
            }

            transfer.begin(sent, count);
            finish(rig, transfer, sent);
            for (long row = sent; row < sent + count; row++)
            {
                final int at = (int)(row % SLOTS) * ROW_BYTES;
                assertEquals(row, rig.target.hostView(at, ROW_BYTES).getLong(0));
                assertEquals(-row, rig.target.hostView(SLOTS * ROW_BYTES + at, ROW_BYTES).getLong(0));
            }

            sent += count;
            assertEquals(sent, rig.signals.getAcquire(TAIL));
            assertEquals(sent, rig.link.tally().rows(Traffic.DISPATCH_SCALE_UP));
            assertEquals(sent * 2 * ROW_BYTES, rig.link.tally().bytes(Traffic.DISPATCH_SCALE_UP));
        }
    }

    private static void finish(final ConnectionRig rig, final RingTransfer transfer, final long tailBefore)
    {
        for (int attempt = 0; transfer.isActive(); attempt++)
        {
            assertTrue(attempt < 10_000, "the transfer does not end");
            assertEquals(tailBefore, rig.signals.getAcquire(TAIL), "the tail moves last");
            transfer.advance();
        }

        assertFalse(rig.link.channel().releasedPosition() >= transfer.sourcePosition());
        rig.worker.progress();
        assertTrue(rig.link.channel().releasedPosition() >= transfer.sourcePosition());
    }
}
