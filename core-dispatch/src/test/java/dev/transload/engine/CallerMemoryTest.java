/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import org.junit.jupiter.api.Test;

/** Who reaches memory that the caller brings, and at what address it is. */
class CallerMemoryTest
{
    private static Scenario scenario(final String placement)
    {
        final Scenario scenario = new Scenario(5);
        scenario.nodes = 1;
        scenario.tokens = new int[]{3, 2};
        scenario.kind = SteppingOptions.OPAQUE;
        scenario.placement = placement;
        return scenario;
    }

    private static TensorMemory part(final Engine engine, final TensorMemory whole)
    {
        return engine.register(whole.kind(), whole.device(), whole.address() + 64, 128);
    }

    @Test
    void shouldBeReachedInPlaceWhereTheTransportExportsIt()
    {
        try (SteppingWorld world = new SteppingWorld(scenario("direct")))
        {
            final Engine engine = world.engines.get(1);
            final TensorMemory memory = part(engine, engine.allocatePayload(256));
            assertTrue(memory.isExposed(), "peers cannot put rows into it");
            assertTrue(memory.isReadable(), "peers cannot sum its rows in place");
        }
    }

    @Test
    void shouldStayPrivateWhereRowsPassTheRings()
    {
        try (SteppingWorld world = new SteppingWorld(scenario("ring")))
        {
            final Engine engine = world.engines.get(1);
            assertFalse(part(engine, engine.allocatePayload(256)).isExposed());
        }
    }

    @Test
    void shouldBeRegisteredAllTheSameWhereItCannotBeExported()
    {
        final Scenario scenario = scenario("direct");
        scenario.kind = MemoryKind.HOST;
        try (LoopbackWorld world = new LoopbackWorld(scenario, 0))
        {
            final Engine engine = world.engines.get(0);
            final TensorMemory whole = engine.allocateHost(256);
            final TensorMemory memory = part(engine, whole);
            assertTrue(whole.isExposed());
            assertFalse(memory.isExposed());
            assertFalse(memory.isReadable());
            assertEquals(whole.address() + 64, memory.address());
        }
    }
}
