/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.StepFifo;
import dev.transload.spi.Channel;
import org.junit.jupiter.api.Test;

/** What is posted for far ranks is brought, told of behind it, and released once nobody reads it. */
class FarPostsTest
{
    private static final int ROUNDS = 40;

    private static Scenario scenario(final long seed)
    {
        final Scenario scenario = new Scenario(seed);
        scenario.isFar = true;
        return scenario;
    }

    /** One row of a call, and its word. */
    private static void post(final StepFifo fifo, final long call, final int rowBytes)
    {
        fifo.post(0, StepFifo.HEADERS, call, 0, 1, Integer.BYTES);
        fifo.post(0, StepFifo.ROWS, call, 0, 1, rowBytes);
        fifo.post(0, StepFifo.ROWS_TOLD, call, 0, 0, Integer.BYTES);
    }

    private static ListedExchange exchange(final SteppingWorld world)
    {
        return (ListedExchange)world.parts.get(0).exchange(0);
    }

    private static void move(final SteppingWorld world)
    {
        world.fabric.step();
        world.parts.forEach(LowLatencyParts::progress);
        exchange(world).progress(world.nowNs(), world.scenario.timeoutNs);
    }

    @Test
    void shouldReleaseWhatWasPostedOnceNoChannelReadsIt()
    {
        int late = 0;
        for (int round = 1; round <= ROUNDS; round++)
        {
            try (SteppingWorld world = new SteppingWorld(scenario(round)))
            {
                final StepFifo fifo = exchange(world).session().fifo();
                final Channel channel = world.parts.get(0).link(1).channel(0);
                final long before = channel.position();
                post(fifo, 1, 2 * world.scenario.hidden);
                while (!fifo.isReleased())
                {
                    move(world);
                    late += channel.position() > before && channel.releasedPosition() < channel.position() ? 1 : 0;
                }

                assertTrue(channel.position() > before, "nothing was put");
                assertEquals(channel.position(), channel.releasedPosition(),
                    "posts are released while the transport reads what they name");
            }
        }

        assertTrue(late > 0, "no put was read late, so that nothing was tested");
    }
}
