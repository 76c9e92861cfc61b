/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.world;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.World;
import dev.transload.engine.WorldConfig;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which ranks of other nodes must be reachable, and how many streams sizes reckon with. */
class RelayPeersTest
{
    private static final int WORLDS = 200;

    private static Relays relays(final WorldConfig config, final int rank, final int channels)
    {
        return new Relays(new World(config, rank), channels);
    }

    @Test
    void shouldBePeersInBothDirectionsAsRowsAndCreditTravel()
    {
        for (int seed = 0; seed < WORLDS; seed++)
        {
            final SplittableRandom random = new SplittableRandom(seed);
            final WorldConfig config =
                new WorldConfig(random.ints(1 + random.nextInt(4), 1, 6).boxed().toList());
            final int channels = 1 + random.nextInt(3);
            final World world = new World(config, 0);
            final Relays[] relays = IntStream.range(0, config.size())
                .mapToObj((rank) -> relays(config, rank, channels)).toArray(Relays[]::new);
            for (int rank = 0; rank < relays.length; rank++)
            {
                for (int other = 0; other < relays.length; other++)
                {
                    assertEquals(
                        isRelayed(relays, world, rank, other), relays[rank].isPeer(other), config::toString);
                }
            }

            final int most = relays[0].most();
            assertTrue(most <= config.mostStreams(), config + " has " + most);
            assertTrue(!config.isEven() || most == config.nodes(), config::toString);
        }
    }

    /** By the sources whose rows each relays. */
    private static boolean isRelayed(final Relays[] relays, final World world, final int rank, final int other)
    {
        return world.nodeOf(rank) != world.nodeOf(other) &&
            (relays[rank].indexOf(world.localOf(rank), other) >= 0 ||
            relays[other].indexOf(world.localOf(other), rank) >= 0);
    }

    @Test
    void shouldBePeersOfTheSameLocalIndexWhereNodesHaveAsManyRanks()
    {
        final Relays relays = relays(WorldConfig.of(3, 4), 6, 2);
        for (int rank = 0; rank < 12; rank++)
        {
            assertEquals(6 != rank && 2 == rank % 4, relays.isPeer(rank), "rank " + rank);
        }
    }

    /** Channels of a rank go to different ranks of a larger node, all of which have a peer in the smaller one. */
    @Test
    void shouldMeetAllRanksOfALargerNodeWithTheAdvisedChannels()
    {
        final WorldConfig config = new WorldConfig(List.of(8, 4));
        assertEquals(2, config.advisedChannels());
        for (int rank = 0; rank < 8; rank++)
        {
            final Relays relays = relays(config, rank, 1);
            assertEquals(8 + rank % 4, relays.relay(rank, 1, 0));
            assertTrue(relays.isPeer(8 + rank % 4));
        }

        final Relays one = relays(config, 8, 1);
        final Relays two = relays(config, 8, config.advisedChannels());
        assertEquals(0, one.relay(8, 0, 0));
        assertEquals(4, two.relay(8, 0, 1));
        assertTrue(one.isPeer(4), "rank 8 relays for it");
        assertFalse(one.isPeer(1));
    }
}
