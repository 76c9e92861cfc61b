/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.DataType;
import dev.transload.engine.Tensor;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A dispatch's message goes ahead of its rows: what it says is used at once, and counts only once these have come. */
class AnnouncedRowsTest
{
    private static final int MAKER = 0;
    private static final int CYCLES_TO_LIST = 400;

    /** Ranks of which the first one's rows are never cast. */
    private static SteppingWorld world(final long seed, final MemoryKind kind)
    {
        final Scenario scenario = Scenario.ofFour(seed);
        scenario.kind = kind;
        scenario.isAtOnce = !kind.isHost();
        scenario.isPatient = scenario.isAtOnce;
        scenario.isFp8 = true;
        scenario.missing = 0;
        scenario.maxTokens = 6;
        final SteppingWorld world = SteppingWorld.faulty(scenario);
        world.unwell(MAKER);
        world.faulty.hang();
        world.scripts.forEach((script) -> script.calls(0, 1));
        world.pump(CYCLES_TO_LIST);
        return world;
    }

    @Test
    void shouldListRowsThatHaveNotCome()
    {
        try (SteppingWorld world = world(51, MemoryKind.HOST))
        {
            for (int rank = 1; rank < world.scenario.ranks(); rank++)
            {
                assertFalse(world.parts.get(rank).link(MAKER).isSignalled(Slots.DISPATCHED, 1, 1));
                assertFalse(world.scripts.get(rank).isDone());
                assertListed(world, rank);
            }
        }
    }

    /** Rows of all ranks have their places, in the order in which they will be. */
    private static void assertListed(final SteppingWorld world, final int rank)
    {
        final Scenario scenario = world.scenario;
        int rowsOfMaker = 0;
        for (int local = 0; local < scenario.localExperts(); local++)
        {
            final List<CallData.Row> rows =
                world.data[0].rows(rank * scenario.localExperts() + local, (source) -> true);
            for (int row = 0; row < rows.size(); row++)
            {
                assertEquals(rows.get(row).token(), world.scripts.get(rank).sourceToken(0,
                    local * scenario.ranks() * scenario.maxTokens + row), "rank " + rank + ", row " + row);
                rowsOfMaker += MAKER == rows.get(row).source() ? 1 : 0;
            }
        }

        assertTrue(rowsOfMaker > 0, "rank 0 has sent nothing to rank " + rank);
    }

    /** Its own rows, too, are packed only behind the cast. */
    @Test
    void shouldPackNothingBeforeTheCastIsTaken()
    {
        final Scenario scenario = Scenario.ofFour(57);
        scenario.isFp8 = true;
        try (SteppingWorld world = SteppingWorld.faulty(scenario))
        {
            world.faulty.refuse("quantizeRows");
            world.scripts.forEach((script) -> script.calls(0, 1));
            world.pump(CYCLES_TO_LIST);
            world.faulty.refuse(null);
            world.await(world::isDone);
        }
    }

    /** Who fails leaves the world, and the other would take it for lost before it could see the difference. */
    @Test
    void shouldNotFailCallsThatDifferBeforeTheRowsHaveCome()
    {
        final Scenario scenario = Scenario.ofFour(58);
        try (SteppingWorld world = SteppingWorld.faulty(scenario))
        {
            world.unwell(MAKER);
            world.faulty.hang();
            final int experts = scenario.localExperts() * scenario.ranks();
            final LowLatencyDispatchResult theirs = begin(
                world.engines.get(MAKER), scenario, DataType.F8_E4M3, scenario.localExperts());
            final LowLatencyEngine engine = world.engines.get(1);
            final LowLatencyDispatchResult own = begin(engine, scenario, DataType.BF16, -1);
            world.await(() ->
            {
                world.engines.get(MAKER).calls().doWork(theirs.exchange());
                engine.calls().doWork(own.exchange());
                engine.calls().beginReceive(own);
                return Exchange.Phase.RECEIVING == own.exchange().phase() &&
                    world.parts.get(1).link(MAKER).isSignalled(Slots.ANNOUNCED, 1, 1);
            });
            assertEquals(experts, own.exchange().set().experts);
            for (int cycle = 0; cycle < CYCLES_TO_LIST; cycle++)
            {
                engine.calls().doWork(own.exchange());
            }

            assertFalse(world.parts.get(1).link(MAKER).isSignalled(Slots.DISPATCHED, 1, 1));
            assertTrue(engine.isActive(MAKER));
        }
    }

    /** Of one token. */
    private static LowLatencyDispatchResult begin(
        final LowLatencyEngine engine, final Scenario scenario, final DataType type, final long expert)
    {
        final int experts = scenario.localExperts() * scenario.ranks();
        final Tensor x = new Tensor(
            engine.allocatePayload(2L * scenario.hidden), 0, DataType.BF16, 1, scenario.hidden);
        final Tensor idx = new Tensor(engine.allocateHost(Long.BYTES), 0, DataType.I64, 1, 1);
        idx.view().putLong(0, expert);
        return engine.calls().begin(LowLatencyDispatchRequest.of(x, idx, experts, engine.allocateOutput(
            experts, scenario.hidden, type, DataType.BF16 == type ? null : ScaleLayout.ROWS)));
    }

    @ParameterizedTest
    @ValueSource(longs = {51, 52, 53, 54, 55, 56})
    void shouldCountNoneOfTheRowsThatNeverCome(final long seed)
    {
        assertNoneCounts(world(seed, MemoryKind.HOST));
    }

    /** Copies wait for them on the device. */
    @ParameterizedTest
    @ValueSource(longs = {51, 52, 53, 54, 55, 56})
    void shouldNotWaitOnTheDeviceForRowsThatNeverCome(final long seed)
    {
        assertNoneCounts(world(seed, SteppingOptions.OPAQUE));
    }

    private static void assertNoneCounts(final SteppingWorld announced)
    {
        try (SteppingWorld world = announced)
        {
            for (int rank = 1; rank < world.scenario.ranks(); rank++)
            {
                assertTrue(world.parts.get(rank).link(MAKER).isSignalled(Slots.ANNOUNCED, 1, 1));
            }

            world.kill(MAKER);
            world.await(world::isDone);
            for (int rank = 1; rank < world.scenario.ranks(); rank++)
            {
                assertFalse(world.engines.get(rank).isActive(MAKER));
                assertEquals(0, world.scripts.get(rank).countsFrom(MAKER));
            }
        }
    }
}
