/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Rendezvous;
import dev.transload.tck.RendezvousConformance;
import dev.transload.tck.RendezvousFixture;
import org.jgroups.JChannel;
import org.jgroups.stack.ProtocolStack;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

class JGroupsRendezvousConformanceTest extends RendezvousConformance
{
    @Override
    public RendezvousFixture fixture()
    {
        return new Fixture();
    }

    /** Ranks as threads, each with a channel of its own. */
    static final class Fixture implements RendezvousFixture
    {
        private final Map<Integer, JChannel> channels = new ConcurrentHashMap<>();
        private final String address = "127.0.0.1:" + JGroupsRendezvousTest.freePort();

        @Override
        public Rendezvous join(final int rank, final int worldSize)
        {
            return JGroupsRendezvous.join(JGroupsRendezvousConfig.builder().rank(rank).worldSize(worldSize)
                .address(address).failureTimeout(Duration.ofSeconds(2)).build(),
                channel -> channels.put(rank, channel));
        }

        @Override
        public boolean kill(final int rank)
        {
            kill(channels.get(rank));
            return true;
        }

        @Override
        public Rendezvous rejoin(final int rank, final int worldSize)
        {
            return join(rank, worldSize);
        }

        /** Lets go of all connections as a killed process does. */
        static void kill(final JChannel channel)
        {
            final ProtocolStack stack = channel.getProtocolStack();
            try
            {
                stack.stopStack(channel.getClusterName());
            }
            catch (final Exception ex)
            {
                throw new IllegalStateException("the stack of " + channel.getName() + " did not stop", ex);
            }
            stack.destroy();
        }
    }
}
