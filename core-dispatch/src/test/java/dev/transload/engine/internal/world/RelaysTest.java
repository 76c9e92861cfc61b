/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.world;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.engine.World;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who relays which stream: every rank says the same, and each stream has exactly one relay. */
class RelaysTest
{
    private static final int MOST_NODES = 5;
    private static final int MOST_RANKS = 5;
    private static final int MOST_CHANNELS = 3;

    private int nodes;
    private int ranks;
    private int channels;

    /** Of each rank of a world. */
    private final List<Relays> relays = new ArrayList<>();

    private void forAllWorlds(final Runnable check)
    {
        for (nodes = 1; nodes <= MOST_NODES; nodes++)
        {
            for (ranks = 1; ranks <= MOST_RANKS; ranks++)
            {
                for (channels = 1; channels <= MOST_CHANNELS; channels++)
                {
                    relays.clear();
                    for (int rank = 0; rank < size(); rank++)
                    {
                        relays.add(new Relays(new World(nodes, ranks, rank), channels));
                    }

                    check.run();
                }
            }
        }
    }

    private int size()
    {
        return nodes * ranks;
    }

    private String where()
    {
        return nodes + "x" + ranks + ", " + channels + " channels";
    }

    /** Sources of the streams that a rank relays in a channel, as another rank of its node sees them. */
    private int[] streams(final int seenBy, final int channel, final int local)
    {
        final Relays seen = relays.get(seenBy);
        return IntStream.range(0, seen.streams(channel, local))
            .map((stream) -> seen.source(channel, local, stream)).toArray();
    }

    @Test
    void shouldGiveEachStreamExactlyOneRelayOnItsNode()
    {
        forAllWorlds(() ->
        {
            for (int node = 0; node < nodes; node++)
            {
                for (int channel = 0; channel < channels; channel++)
                {
                    final int[] found = new int[size()];
                    for (int local = 0; local < ranks; local++)
                    {
                        for (final int source : streams(node * ranks, channel, local))
                        {
                            found[source]++;
                            assertEquals(
                                node * ranks + local, relays.get(source).relay(source, node, channel), where());
                        }
                    }

                    final int[] once = new int[size()];
                    Arrays.fill(once, 1);
                    assertArrayEquals(once, found, where());
                }
            }
        });
    }

    @Test
    void shouldRelayAtTheRankOfTheSameRailAndWithinANodeAtTheSource()
    {
        forAllWorlds(() ->
        {
            for (int source = 0; source < size(); source++)
            {
                for (int node = 0; node < nodes; node++)
                {
                    for (int channel = 0; channel < channels; channel++)
                    {
                        final int sameRail = node * ranks + source % ranks;
                        for (final Relays seen : relays)
                        {
                            assertEquals(sameRail, seen.relay(source, node, channel), where());
                        }
                    }
                }
            }
        });
    }

    @Test
    void shouldNumberAStreamAlikeAtBothEnds()
    {
        forAllWorlds(() ->
        {
            for (int source = 0; source < size(); source++)
            {
                for (int node = 0; node < nodes; node++)
                {
                    for (int channel = 0; channel < channels; channel++)
                    {
                        final int relay = relays.get(source).relay(source, node, channel);
                        final int stream = relays.get(source).ownStream(channel, node);
                        assertEquals(source, relays.get(relay).source(channel, relay % ranks, stream), where());
                    }
                }
            }
        });
    }

    @Test
    void shouldSeeTheStreamsOfANodeAlikeOnAllItsRanks()
    {
        forAllWorlds(() ->
        {
            for (int rank = 0; rank < size(); rank++)
            {
                for (int channel = 0; channel < channels; channel++)
                {
                    for (int local = 0; local < ranks; local++)
                    {
                        final int[] sources = streams(rank, channel, local);
                        assertArrayEquals(streams(rank / ranks * ranks, channel, local), sources, where());
                        assertArrayEquals(IntStream.of(sources).sorted().distinct().toArray(), sources, where());
                    }
                }
            }
        });
    }

    /** Sizes of rings and messages follow from these, so all ranks of the world have the same. */
    @Test
    void shouldSizeMemoryByTheRankThatRelaysMost()
    {
        forAllWorlds(() ->
        {
            int most = 0;
            int mostSources = 0;
            for (int rank = 0; rank < size(); rank++)
            {
                for (int channel = 0; channel < channels; channel++)
                {
                    most = Math.max(most, relays.get(rank).streams(channel, rank % ranks));
                }

                mostSources = Math.max(mostSources, relays.get(rank).sources(rank % ranks).length);
            }

            for (final Relays seen : relays)
            {
                assertEquals(most, seen.most(), where());
                assertEquals(mostSources, seen.mostSources(), where());
            }
        });
    }

    @Test
    void shouldFindASourceOfAnyChannelAmongThoseOfItsRelay()
    {
        forAllWorlds(() ->
        {
            for (int local = 0; local < ranks; local++)
            {
                final int at = local;
                final int[] sources = relays.get(0).sources(local);
                assertArrayEquals(IntStream.range(0, channels)
                    .flatMap((channel) -> IntStream.of(streams(0, channel, at))).sorted().distinct().toArray(), sources,
                    where());
                for (int i = 0; i < sources.length; i++)
                {
                    assertEquals(i, relays.get(0).indexOf(local, sources[i]), where());
                }
            }
        });
    }

    @Test
    void shouldHearTheCountsOfEverySourceOnceInEachNode()
    {
        forAllWorlds(() ->
        {
            for (int node = 0; node < nodes; node++)
            {
                final Relays seen = relays.get(node * ranks);
                assertArrayEquals(IntStream.range(0, size()).toArray(), IntStream.range(0, ranks)
                    .flatMap((local) -> IntStream.of(seen.counted(local))).sorted().toArray(), where());
                for (int local = 0; local < ranks; local++)
                {
                    for (final int source : seen.counted(local))
                    {
                        assertEquals(seen.relay(source, node, 0), node * ranks + local, where());
                    }
                }
            }
        });
    }
}
