/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import org.junit.jupiter.api.Test;

/** Rows that have arrived are not yet released: the loopback channel says so only when its worker makes progress. */
class StagingTest
{
    private static final int SLOTS = 4;
    private static final int ROW_BYTES = 8;
    private static final int SIGNAL = 2;

    private final ConnectionRig rig = new ConnectionRig(0, SLOTS * ROW_BYTES);
    private final Staging staging = new Staging(rig.link, rig.signals, SIGNAL, map().notifyOutIn, SLOTS);

    /** Its first section lies in arena 0, the only one of the rig. */
    private static ArenaMap map()
    {
        return new ArenaMap(new Geometry(new World(2, 1, 0), EngineConfig.from(ConfigFactory.parseString(
            "transload { nodes = 2, ranks-per-node = 1, channels = 1, max-hidden = 64, max-topk = 4, " +
            "max-experts = 32, scale-out.transport = wire, scale-up.transport = loopback }"))), false);
    }

    private void stage(final int rows)
    {
        staging.use(rig.source, ROW_BYTES, null, 0);
        for (int row = 0; row < rows; row++)
        {
            rig.source.hostView(0, SLOTS * ROW_BYTES).putLong(row * ROW_BYTES, 70 + row);
            staging.set(row, (long)row * ROW_BYTES, (long)(SLOTS - 1 - row) * ROW_BYTES);
        }

        staging.begin(rows);
    }

    @Test
    void shouldBringRowsToTheirPlacesAndCountThem()
    {
        stage(SLOTS);
        assertEquals(SLOTS, staging.begun());
        assertEquals(SLOTS, staging.arrived());
        assertEquals(SLOTS * ROW_BYTES, rig.link.tally().stagedBytes());
        for (int row = 0; row < SLOTS; row++)
        {
            assertEquals(70 + row, rig.target.hostView(0, SLOTS * ROW_BYTES).getLong((SLOTS - 1 - row) * ROW_BYTES));
        }
    }

    @Test
    void shouldKeepSourcesAndEntriesUntilTheyAreReleased()
    {
        stage(SLOTS);
        assertEquals(0, staging.released(SLOTS));
        assertFalse(staging.isReleased(SLOTS));
        assertFalse(staging.hasRoom(1), "the entry of slot 0 may be read still");
        assertFalse(staging.isComplete());
        assertTrue(staging.awaits(new Wait()));

        rig.worker.progress();
        assertEquals(2, staging.released(2), "no more than is asked for");
        assertEquals(SLOTS, staging.released(SLOTS));
        assertTrue(staging.isReleased(SLOTS));
        assertTrue(staging.hasRoom(1));
        assertTrue(staging.isComplete());
        assertFalse(staging.awaits(new Wait()));
    }

    @Test
    void shouldReleaseNoRowThatHasNotBegun()
    {
        stage(2);
        rig.worker.progress();
        assertEquals(2, staging.released(SLOTS));
    }
}
