/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

class InMemoryRendezvousConformanceTest extends RendezvousConformance
{
    @Override
    public RendezvousFixture fixture()
    {
        return new Fixture();
    }

    private static final class Fixture implements RendezvousFixture
    {
        private final List<InMemoryRendezvous> members = new ArrayList<>();

        @Override
        public synchronized Rendezvous join(final int rank, final int worldSize)
        {
            if (members.isEmpty())
            {
                members.addAll(InMemoryRendezvous.world(worldSize));
            }

            return members.get(rank);
        }

        @Override
        public synchronized boolean kill(final int rank)
        {
            members.get(rank).lose("it was killed");
            return true;
        }

        @Override
        public synchronized Rendezvous rejoin(final int rank, final int worldSize)
        {
            members.set(rank, members.get(rank).rejoin());
            return members.get(rank);
        }

        @Override
        public Duration timeout()
        {
            return Duration.ofSeconds(5);
        }
    }
}
