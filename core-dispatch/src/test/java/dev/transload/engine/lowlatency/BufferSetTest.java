/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A set of buffers at a peer is written again only when that has read what the set had. */
class BufferSetTest
{
    private static final int SLOW = 1;
    /** Far fewer than it takes until a rank is given up. */
    private static final int CYCLES = 300;

    @ParameterizedTest
    @ValueSource(longs = {2, 4, 6, 8, 10, 12})
    void shouldNotWriteToAPeerThatHasYetToRead(final long seed)
    {
        final Scenario scenario = new Scenario(seed);
        scenario.kind = 0 == seed % 4 ? MemoryKind.HOST : SteppingOptions.OPAQUE;
        scenario.overlap = 2;
        scenario.isReleasing = true;
        scenario.missing = 0;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.scripts.forEach((script) -> script.calls(0, 4));
            final RankScript slow = world.scripts.get(SLOW);
            world.await(() -> slow.standing().contains("RECEIVE"));
            world.leaveAlone(SLOW);
            world.await(() -> world.scripts.get(0).standing().contains("DISPATCH, call=2"));
            world.pump(CYCLES);
            world.driveAgain(SLOW);
            world.await(world::isDone);
            assertEquals(0, world.engines.get(0).statistics().leftOut());
        }
    }
}
