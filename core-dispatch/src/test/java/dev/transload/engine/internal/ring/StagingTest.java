/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.PeerDirectory;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.connect.StagesRig;
import dev.transload.engine.internal.connect.Transports;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows that have arrived are not yet released: the loopback channel says so only when its worker makes progress. */
class StagingTest implements PeerDirectory
{
    private static final int SLOTS = 4;
    private static final int ROW_BYTES = 16;
    private static final int SIGNAL = 2;
    /** The second ring of the section. */
    private static final int FIRST_SLOT = SLOTS;

    private final Geometry geometry = new Geometry(new World(2, 1, 0), EngineConfig.from(ConfigFactory.parseString(
        "transload { nodes = 2, ranks-per-node = 1, channels = 2, max-hidden = 64, max-topk = 4, max-experts = 32, " +
        "payload.kind = " + LoopbackNetwork.DEVICE + ", scale-out { transport = wire, chunk = 2, ring = " + SLOTS +
        ", credit-batch = 1 }, scale-up.transport = loopback }")));
    private final StagesRig rig = new StagesRig(geometry, true,
        new LoopbackNetwork("wire", Set.of(MemoryKind.HOST), 0),
        new LoopbackNetwork("loopback", Set.of(MemoryKind.HOST, LoopbackNetwork.DEVICE), 0));
    private final Transports transports = rig.stages;
    private final ArenaMap map = rig.map;
    private final SignalRegion signals = transport(Stage.SCALE_UP).allocateSignals(SIGNAL + 1, 1);
    private final Worker worker = transport(Stage.SCALE_UP).openWorker(0);
    private final Connection self =
        new Connection(Stage.SCALE_UP, 0, 0, Connection.Use.STAGING_OUT, this, new ThreadCounters(2));
    private final Staging staging;

    StagingTest()
    {
        self.open(worker, 0, null);
        staging = new Staging(
            self, signals, SIGNAL, map.payloadPacked, FIRST_SLOT, map.payloadOut, FIRST_SLOT, SLOTS);
    }

    @AfterEach
    void close()
    {
        rig.close();
    }

    private static UnsafeBuffer slot(final Section section, final int slot)
    {
        return new UnsafeBuffer(section.arena().region(Stage.SCALE_UP).hostView(
            section.offset(FIRST_SLOT) + (long)slot * ROW_BYTES, ROW_BYTES));
    }

    private void copy(final int rows)
    {
        for (int row = 0; row < rows; row++)
        {
            slot(map.payloadPacked, (staging.begun() + row) % SLOTS).putLong(0, 70 + staging.begun() + row);
        }

        staging.copy(rows);
    }

    @Test
    void shouldCopyRowsToTheSameSlotsAndCountThem()
    {
        staging.begin(ROW_BYTES);
        copy(3);
        assertEquals(3, staging.begun());
        assertEquals(3, staging.arrived());
        worker.progress();
        copy(2);
        assertEquals(5, staging.arrived());
        for (int row = 1; row < 5; row++)
        {
            assertEquals(70 + row, slot(map.payloadOut, row % SLOTS).getLong(0));
        }

        assertEquals(5L * ROW_BYTES, self.counters().stagedBytes());
    }

    @Test
    void shouldSayWhichSourcesAreReleased()
    {
        staging.begin(ROW_BYTES);
        copy(3);
        assertTrue(staging.isFree(), "the next copy may begin, though not from these slots");
        assertEquals(0, staging.released());
        assertFalse(staging.isComplete());
        assertTrue(staging.isWaiting(new Wait()));
        worker.progress();
        assertEquals(3, staging.released());
        assertTrue(staging.isComplete());
        assertFalse(staging.isWaiting(new Wait()));
    }

    @Test
    void shouldBeginAtTheFirstSlotWithEachCall()
    {
        staging.begin(ROW_BYTES);
        copy(3);
        worker.progress();
        staging.begin(ROW_BYTES);
        assertEquals(0, staging.begun());
        assertEquals(0, staging.arrived());
        assertEquals(0, staging.released());
        assertTrue(staging.isComplete());
        copy(1);
        assertEquals(1, staging.arrived());
        assertEquals(4, signals.getAcquire(SIGNAL));
        assertEquals(70, slot(map.payloadOut, 0).getLong(0));
    }

    @Override
    public int rank()
    {
        return 0;
    }

    @Override
    public int arenaCount()
    {
        return map.arenas().size();
    }

    @Override
    public long incarnation(final int rank)
    {
        return 1;
    }

    @Override
    public ByteBuffer workerAddress(final int rank, final Stage stage, final int workerIndex)
    {
        return worker.address();
    }

    @Override
    public ByteBuffer signals(final int rank, final Stage stage)
    {
        return signals.descriptor();
    }

    @Override
    public boolean exports(final int rank, final Stage stage, final int arena)
    {
        return map.arenas().get(arena).isRemote() && map.arenas().get(arena).length() > 0 &&
            Stage.SCALE_UP == map.arenas().get(arena).owner();
    }

    @Override
    public ByteBuffer arena(final int rank, final int arena)
    {
        return map.arenas().get(arena).region(Stage.SCALE_UP).descriptor();
    }

    @Override
    public Transport transport(final Stage stage)
    {
        return transports.of(stage);
    }
}
