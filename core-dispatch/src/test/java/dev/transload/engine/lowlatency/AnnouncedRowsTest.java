/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    private static SteppingWorld world(final long seed)
    {
        final FaultyKernels kernels = new FaultyKernels();
        final Scenario scenario = Scenario.ofFour(seed);
        scenario.isFp8 = true;
        scenario.missing = 0;
        scenario.maxTokens = 6;
        final SteppingWorld world = new SteppingWorld(scenario, kernels);
        world.unwell(MAKER);
        kernels.hang();
        world.scripts.forEach((script) -> script.calls(0, 1));
        world.pump(CYCLES_TO_LIST);
        return world;
    }

    @Test
    void shouldListRowsThatHaveNotCome()
    {
        try (SteppingWorld world = world(51))
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
        final FaultyKernels kernels = new FaultyKernels();
        final Scenario scenario = Scenario.ofFour(57);
        scenario.isFp8 = true;
        try (SteppingWorld world = new SteppingWorld(scenario, kernels))
        {
            kernels.refuse("quantizeRows");
            world.scripts.forEach((script) -> script.calls(0, 1));
            world.pump(CYCLES_TO_LIST);
            kernels.refuse(null);
            world.await(world::isDone);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {51, 52, 53, 54, 55, 56})
    void shouldCountNoneOfTheRowsThatNeverCome(final long seed)
    {
        try (SteppingWorld world = world(seed))
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
