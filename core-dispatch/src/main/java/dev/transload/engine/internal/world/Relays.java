/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.world;

import dev.transload.engine.World;
import java.util.Arrays;

/**
 * Which rank of a node relays which rows. The rows of a source rank and a channel that a node needs are a stream; one
 * rank of that node receives the stream and hands it on, its relay: {@code first(b) + (local(s) + G(a) * c) mod G(b)}
 * for source s of node a, channel c and node b. Where all nodes have as many ranks, that is the rank with the source's
 * local index. Within a node a source is its own relay. The place of an absent rank is taken by the next present rank
 * of its node.
 */
public final class Relays
{
    private final World world;
    private final int channels;
    private final int[][][] sources;
    private final int[][] distinct;
    private final int most;
    private final int mostDistinct;

    public Relays(final World world, final int channels)
    {
        this.world = world;
        this.channels = channels;
        int streams = 0;
        int all = 0;
        int[][][] own = null;
        int[][] ownDistinct = null;
        for (int node = 0; node < world.nodes(); node++)
        {
            final int[][][] ofNode = ofNode(node);
            final int[][] distinctOfNode = distinct(ofNode, world.ranksOf(node));
            for (final int[][] ofChannel : ofNode)
            {
                streams = Math.max(streams, Arrays.stream(ofChannel).mapToInt((one) -> one.length).max().orElse(0));
            }

            all = Math.max(all, Arrays.stream(distinctOfNode).mapToInt((one) -> one.length).max().orElse(0));
            if (node == world.node())
            {
                own = ofNode;
                ownDistinct = distinctOfNode;
            }
        }

        this.sources = own;
        this.distinct = ownDistinct;
        this.most = streams;
        this.mostDistinct = all;
    }

    /** Sources by (channel, local rank) of a node, ascending. */
    private int[][][] ofNode(final int node)
    {
        final int ranks = world.ranksOf(node);
        final int[][][] found = new int[channels][ranks][0];
        for (int channel = 0; channel < channels; channel++)
        {
            final int[] counts = new int[ranks];
            for (int source = 0; source < world.size(); source++)
            {
                if (isStream(source, node))
                {
                    counts[relay(source, node, channel) - world.first(node)]++;
                }
            }

            for (int local = 0; local < ranks; local++)
            {
                found[channel][local] = new int[counts[local]];
            }

            for (int source = world.size() - 1; source >= 0; source--)
            {
                if (isStream(source, node))
                {
                    final int local = relay(source, node, channel) - world.first(node);
                    found[channel][local][--counts[local]] = source;
                }
            }
        }

        return found;
    }

    private boolean isStream(final int source, final int node)
    {
        return world.isPresent(source) && world.hasRanks(node);
    }

    private static int[][] distinct(final int[][][] ofNode, final int ranks)
    {
        final int[][] all = new int[ranks][];
        for (int local = 0; local < ranks; local++)
        {
            final int at = local;
            all[local] = Arrays.stream(ofNode).flatMapToInt((ofChannel) -> Arrays.stream(ofChannel[at]))
                .sorted().distinct().toArray();
        }

        return all;
    }

    /**
     * Relay of a stream.
     *
     * @param source present.
     * @param node   with a present rank.
     */
    public int relay(final int source, final int node, final int channel)
    {
        final int home = world.nodeOf(source);
        if (home == node)
        {
            return source;
        }

        final int ranks = world.ranksOf(node);
        int local = (world.localOf(source) + world.ranksOf(home) * channel) % ranks;
        while (!world.isPresent(world.rankAt(node, local)))
        {
            local = (local + 1) % ranks;
        }

        return world.rankAt(node, local);
    }

    /**
     * Whether rows travel between this rank and one of another node, in any channel and either direction.
     *
     * @param rank in [0, P).
     * @return true if it relays a stream of this rank, or this rank one of its streams.
     */
    public boolean isPeer(final int rank)
    {
        final int node = world.nodeOf(rank);
        for (int channel = 0; channel < channels && node != world.node() && world.isPresent(rank); channel++)
        {
            if (relay(world.rank(), node, channel) == rank || relay(rank, world.node(), channel) == world.rank())
            {
                return true;
            }
        }

        return false;
    }

    /** Streams that a rank of the own node relays in a channel, its own one among them. */
    public int streams(final int channel, final int local)
    {
        return sources[channel][local].length;
    }

    /**
     * Source of a stream that a rank of the own node relays.
     *
     * @param stream index in [0, {@link #streams}), by source rank.
     */
    public int source(final int channel, final int local, final int stream)
    {
        return sources[channel][local][stream];
    }

    /**
     * Index of the own stream at its relay on a node.
     *
     * @return index among the streams of that relay.
     */
    public int ownStream(final int channel, final int node)
    {
        final int own = world.rank();
        final int relay = relay(own, node, channel);
        int before = 0;
        for (int source = 0; source < own; source++)
        {
            final boolean isRelayed = world.isPresent(source) && relay(source, node, channel) == relay;
            before += isRelayed && (world.nodeOf(source) != node || source == relay) ? 1 : 0;
        }

        return before;
    }

    /** Most streams that any rank of the world relays in one channel. */
    public int most()
    {
        return most;
    }

    /**
     * Source ranks whose rows a rank of the own node relays in any channel.
     *
     * @return ranks ascending, not to be changed.
     */
    public int[] sources(final int local)
    {
        return distinct[local];
    }

    /** Place of a source among {@link #sources(int)}. */
    public int indexOf(final int local, final int source)
    {
        return Arrays.binarySearch(distinct[local], source);
    }

    /** Most source ranks of any rank of the world. */
    public int mostSources()
    {
        return mostDistinct;
    }

    /**
     * Source ranks whose counts a rank of the own node hears and tells the node: those that it relays in channel 0.
     *
     * @return ranks ascending, not to be changed.
     */
    public int[] counted(final int local)
    {
        return sources[0][local];
    }
}
