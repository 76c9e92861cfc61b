/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.rendezvous.Rendezvous;
import java.time.Duration;

/** What the kit must know of a rendezvous: how a rank joins, and how it dies. A fixture serves one test. */
public interface RendezvousFixture extends AutoCloseable
{
    /**
     * Join the world of this fixture; called once for each rank, each time by a thread of its own.
     *
     * @param rank      in [0, world size).
     * @param worldSize number of ranks.
     * @return the formed world, closed by the kit.
     */
    Rendezvous join(int rank, int worldSize);

    /**
     * End a rank without a farewell, as a crash would.
     *
     * @param rank in the world of the test.
     * @return false when this fixture cannot, which skips the rules on loss.
     */
    default boolean kill(final int rank)
    {
        return false;
    }

    /**
     * How long a test waits for what should happen soon.
     *
     * @return time-out.
     */
    default Duration timeout()
    {
        return Duration.ofSeconds(20);
    }

    /** Frees what the fixture holds; the members were closed before. */
    @Override
    default void close()
    {
    }
}
