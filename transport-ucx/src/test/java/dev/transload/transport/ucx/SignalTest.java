/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A signal waits for what UCX was given before it, and keeps nothing back. */
@NeedsUcx
class SignalTest
{
    private static final int CHUNK = Rank.LENGTH / 4;
    private static final int CHUNKS = 4;

    @Test
    void shouldTakeChunksBehindSignalsThatAreNotAddedYet()
    {
        final Map<String, String> options = Map.of("tls", "tcp,self", "direct", "never");
        try (Rank near = new Rank(0, options); Rank far = new Rank(1, options))
        {
            Assumptions.assumeTrue(near.transport().capabilities().has(Capability.SHARED_SIGNALS),
                "this UCX has no adds over TCP: signals are totals that are put, behind a fence");
            final Rank.Lane lane = near.lane(far);
            lane.exchange(1);
            final Channel channel = lane.operations().channel();
            for (int chunk = 0; chunk < CHUNKS; chunk++)
            {
                near.source().hostView(0, Rank.LENGTH).put(chunk * CHUNK + CHUNK - 1, (byte)(chunk + 1));
            }

            // Nobody drives UCX meanwhile: nothing of this can have been delivered.
            for (int chunk = 0; chunk < CHUNKS; chunk++)
            {
                assertTrue(channel.put(near.source(), chunk * CHUNK, lane.remote(), chunk * CHUNK, CHUNK) > 0,
                    "chunk " + chunk);
                assertTrue(channel.signal(lane.signals(), 1, 1) > 0, "signal " + chunk);
            }

            final long end = channel.position();
            assertTrue(channel.deliveredPosition() < end);
            assertTrue(channel.fence() > 0);
            assertEquals(Channel.BACK_PRESSURED, channel.put(near.source(), 0, lane.remote(), 0, CHUNK));
            for (int chunk = 0; chunk < CHUNKS; chunk++)
            {
                final int seen = chunk + 1;
                Await.until(() -> near.worker().progress() + far.worker().progress() >= 0 &&
                    far.signals().getAcquire(1) >= seen);
                assertEquals(seen, far.target().hostView(0, Rank.LENGTH).get(chunk * CHUNK + CHUNK - 1));
            }

            lane.operations().flush();
            assertEquals(CHUNKS, far.signals().getAcquire(1));
        }
    }
}
