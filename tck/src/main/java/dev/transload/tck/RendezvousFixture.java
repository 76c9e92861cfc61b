/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.rendezvous.Rendezvous;
import java.time.Duration;

/**
 * Supplies the conformance kit with members of a rendezvous and can end a member as a crash would. A fixture serves one
 * test.
 */
public interface RendezvousFixture extends AutoCloseable
{
    /**
     * Joins the world of this fixture. The kit calls this method once for each rank, each time on a separate thread.
     *
     * @param rank      rank in [0, world size).
     * @param worldSize number of ranks.
     * @return member of the formed world; the kit closes the member.
     */
    Rendezvous join(int rank, int worldSize);

    /**
     * Ends a rank without a goodbye message, as a crash would.
     *
     * @param rank rank in the world of the test.
     * @return false if the fixture cannot do this; the rules about failures are then skipped.
     */
    default boolean kill(final int rank)
    {
        return false;
    }

    /**
     * Joins the world as a new process of a rank that was killed. The other ranks have been told of the loss.
     *
     * @param rank      rank that was killed.
     * @param worldSize number of ranks.
     * @return member of the world, which the kit closes; null if worlds of this rendezvous do not readmit processes:
     *         the rule about returns is then skipped.
     */
    default Rendezvous rejoin(final int rank, final int worldSize)
    {
        return null;
    }

    /**
     * Returns the longest time that a test waits for an event that should happen soon.
     *
     * @return timeout of one wait.
     */
    default Duration timeout()
    {
        return Duration.ofSeconds(20);
    }

    /** Frees the resources of the fixture. All members are already closed. */
    @Override
    default void close()
    {
    }
}
