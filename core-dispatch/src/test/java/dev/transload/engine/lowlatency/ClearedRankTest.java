/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.BadInputException;
import dev.transload.kernels.StepWords;
import java.util.function.IntUnaryOperator;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A masked rank comes back where both sides take the same generation for it, and not otherwise. */
class ClearedRankTest
{
    private static final int LOST = 2;

    @ParameterizedTest
    @ValueSource(longs = {5, 6, 7, 8, 9, 10, 11, 12})
    void shouldTakeARankBackThatBothSidesClear(final long seed)
    {
        try (SteppingWorld world = new SteppingWorld(Scenario.ofFour(seed)))
        {
            for (int round = 0; round < 2; round++)
            {
                final int from = round * 5;
                world.scripts.forEach((script) -> script.calls(from, from + 4));
                world.pump((int)(4 * seed));
                world.pause(LOST);
                world.await(world::isDone);
                world.resume(LOST);
                world.await(world::isDone);
                final int generation = 3 * round + 1;
                clearAll(world, (rank) -> generation);
                world.recover();
                world.scripts.forEach((script) -> script.calls(from + 4, from + 5));
                world.await(world::isDone);
                world.engines.forEach((engine) -> assertEquals(4, engine.activeRanks(new int[4])));
                world.engines.forEach((engine) -> assertTrue(engine.counters().isActive(LOST)));
            }
        }
    }

    private static void clearAll(final SteppingWorld world, final IntUnaryOperator generation)
    {
        for (final LowLatencyEngine engine : world.engines)
        {
            for (int rank = 0; rank < 4; rank++)
            {
                if (rank != engine.world().rank() && (LOST == rank || LOST == engine.world().rank()))
                {
                    engine.clear(rank, generation.applyAsInt(engine.world().rank()));
                }
            }
        }
    }

    @Test
    void shouldSayThatOneSideClearedForAnotherGeneration()
    {
        try (SteppingWorld world = new SteppingWorld(Scenario.ofFour(14)))
        {
            world.unwell(LOST);
            clearAll(world, (rank) -> LOST == rank ? 2 : 1);
            world.scripts.forEach((script) -> script.calls(0, 2));
            world.await(world::isDone);
            for (final int rank : new int[]{0, 1, 3})
            {
                assertEquals("its tokens did not come in time: it has cleared this rank for generation 2, here it is " +
                    "in 1, both must be cleared for the same", world.engines.get(rank).maskReason(LOST));
                assertEquals(3, world.engines.get(rank).activeRanks(new int[4]));
            }

            assertEquals(1, world.engines.get(LOST).activeRanks(new int[4]));
        }
    }

    @Test
    void shouldNotReadWhatWasToldBeforeItWasCleared()
    {
        final Scenario scenario = Scenario.ofFour(15);
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            clearAll(world, (rank) -> 1);
            world.unwell(0);
            world.unwell(LOST);
            final LowLatencyParts own = world.parts.get(0);
            final StepWords words = new StepWords(own.shape().steps());
            final long done = words.done(1, LOST, 0);
            world.scripts.stream().filter((script) -> 0 != script.rank).forEach((script) -> script.calls(0, 1));
            world.await(() -> StepWords.isOf(((ListedExchange)own.exchange(1)).session().word(LOST, done), 2, 1));
            UnsafeApi.putLong(own.memory().own(own.link(LOST).inStage(), 1).words().address() + done,
                StepWords.word(1, 1, 1));
            world.scripts.get(0).calls(0, 1);
            world.await(world::isDone);
            assertEquals("its tokens did not come in time", world.engines.get(0).maskReason(LOST));
        }
    }

    @Test
    void shouldNotReviveARankThatItsTransportGaveUp()
    {
        try (SteppingWorld world = new SteppingWorld(Scenario.ofFour(16)))
        {
            world.kill(LOST);
            world.run();
            final LowLatencyEngine engine = world.engines.get(0);
            assertFalse(engine.isActive(LOST));
            final String message =
                assertThrows(IllegalStateException.class, () -> engine.clear(LOST, 1)).getMessage();
            assertTrue(message.startsWith("rank 2 cannot be cleared, since a transport has given it up"), message);
            assertFalse(engine.isActive(LOST));
            assertEquals(0, engine.generation(LOST));
        }
    }

    @Test
    void shouldRefuseToClearWhereItCannot()
    {
        try (SteppingWorld world = new SteppingWorld(Scenario.ofFour(13)))
        {
            final LowLatencyEngine engine = world.engines.get(0);
            assertThrows(BadInputException.class, () -> engine.clear(0, 1));
            assertThrows(BadInputException.class, () -> engine.clear(4, 1));
            refused(engine, 0,
                "generation = 0 is not allowed for rank 1: must be above the one in use, 0, and below 4095");
            refused(engine, StepWords.MAX_GENERATION, "generation = 4095 is not allowed");
            engine.clear(1, StepWords.MAX_GENERATION - 1);
            assertEquals(4094, engine.generation(1));
            refused(engine, StepWords.MAX_GENERATION - 1, "must be above the one in use, 4094");

            final RankTensors tensors = new RankTensors(world.scenario, engine, world.fabric);
            engine.calls().begin(tensors.dispatch(world.data[0]));
            assertTrue(assertThrows(IllegalStateException.class, () -> engine.clear(2, 1)).getMessage()
                .contains("still alive"));
        }
    }

    private static void refused(final LowLatencyEngine engine, final int generation, final String part)
    {
        final String message =
            assertThrows(BadInputException.class, () -> engine.clear(1, generation)).getMessage();
        assertTrue(message.contains(part), message);
    }
}
