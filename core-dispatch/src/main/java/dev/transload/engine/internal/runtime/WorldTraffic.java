/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.OutputLayout;
import dev.transload.engine.World;
import dev.transload.engine.internal.connect.Arena;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.plan.SendLayout;
import dev.transload.engine.internal.wire.MetadataBlock;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.spi.MemoryKind;
import java.nio.ByteBuffer;

/**
 * What the ranks of a world would move in one dispatch and its combine, found by the layouts that the engine itself
 * uses, source rank by source rank, without any rank running. Rows go to their final places, and blocks are read where
 * the relay has them: the ranks of a node map each other's memory.
 */
public final class WorldTraffic
{
    private final Geometry geometry;
    private final boolean isExpanded;
    private final SendLayout layout;
    private final Hop dispatchOut;
    private final Hop dispatchUp;
    private final Hop combineOut;
    private final Hop combineUp;
    private final long[] received;
    private long tokens;
    private long rowsToNodes;
    private long rowsToRanks;

    /** Nothing is moved yet. */
    public WorldTraffic(final EngineConfig config)
    {
        // Sizes are equal on all ranks, and so are the layouts of what any rank sends.
        this.geometry = new Geometry(new World(config.world(), config.world().present().get(0)), config);
        this.isExpanded = OutputLayout.EXPERT_MAJOR == config.output();
        this.layout = new SendLayout(geometry);
        final int ranks = config.worldSize();
        this.dispatchOut = new Hop(ranks);
        this.dispatchUp = new Hop(ranks);
        this.combineOut = new Hop(ranks);
        this.combineUp = new Hop(ranks);
        this.received = new long[ranks];
    }

    /** Bytes of a hop by rank. */
    public static final class Hop
    {
        private final long[] sent;
        private final long[] arriving;
        private long counted;

        private Hop(final int ranks)
        {
            this.sent = new long[ranks];
            this.arriving = new long[ranks];
        }

        private void move(final int from, final int to, final long bytes)
        {
            counted += bytes;
            if (from != to)
            {
                sent[from] += bytes;
                arriving[to] += bytes;
            }
        }

        /** All bytes as the engine counts them: what a rank moves to itself is among them. */
        public long counted()
        {
            return counted;
        }

        /** Bytes that a rank sends to others. */
        public long sent(final int rank)
        {
            return sent[rank];
        }

        /** Bytes that come to a rank from others. */
        public long arriving(final int rank)
        {
            return arriving[rank];
        }
    }

    /**
     * Add what a source rank sends in the dispatch, and gets back in the combine.
     *
     * @param idx         [T, K] I64, native order.
     * @param experts     E before padding.
     * @param isFp8       rows are FP8 with scales, else BF16.
     * @param areWeighted whether weights are dispatched, and combined.
     * @throws dev.transload.engine.BadInputException naming token, value and what is allowed.
     */
    public void add(
        final int source, final ByteBuffer idx, final int tokenCount, final int topk, final int experts,
        final int hidden, final boolean isFp8, final boolean areWeighted)
    {
        layout.compute(idx, tokenCount, topk, experts);
        tokens += tokenCount;
        final long rowBytes = rowBytes(hidden, isFp8);
        final long weightBytes = areWeighted ? (long)topk * Float.BYTES : 0;
        final long answerBytes = (long)hidden * ElementType.BF16.bytes() + weightBytes;
        final long sumBytes = (long)hidden * geometry.partialType().bytes() + weightBytes;
        final World world = geometry.world();
        for (int node = 0; node < geometry.nodes(); node++)
        {
            for (int channel = 0; channel < geometry.channels() && world.hasRanks(node); channel++)
            {
                final int relay = geometry.relays().relay(source, node, channel);
                final int rows = layout.rowsToNode(channel, node);
                rowsToNodes += rows;
                if (node != world.nodeOf(source))
                {
                    dispatchOut.move(source, relay, rows * rowBytes + blockBytes(node, rows, topk, areWeighted));
                    combineOut.move(relay, source, rows * sumBytes);
                }

                for (int local = 0; local < world.ranksOf(node); local++)
                {
                    final int rank = world.rankAt(node, local);
                    final int toRank = layout.rowsToRank(channel, rank);
                    final long places = isExpanded ? placesOf(channel, rank) : toRank;
                    rowsToRanks += toRank;
                    received[rank] += places;
                    dispatchUp.move(relay, rank, places * rowBytes);
                    combineUp.move(rank, relay, toRank * answerBytes);
                }
            }
        }
    }

    /**
     * Bytes of a row that is dispatched, its scales included.
     *
     * @param isFp8 whether it is FP8 with scales, else BF16.
     */
    public static long rowBytes(final int hidden, final boolean isFp8)
    {
        return isFp8 ? hidden + (long)Fp8.scales(hidden) * Float.BYTES : (long)hidden * ElementType.BF16.bytes();
    }

    private long blockBytes(final int node, final int rows, final int topk, final boolean areWeighted)
    {
        final int ranks = geometry.world().ranksOf(node);
        final int prefixes = isExpanded ? ranks * (layout.experts() / geometry.world().size()) : ranks;
        long bytes = 0;
        for (int from = 0; from < rows; from += geometry.blockRows())
        {
            bytes += MetadataBlock.bytes(
                geometry.maskWords(), Math.min(rows - from, geometry.blockRows()), prefixes, topk, areWeighted);
        }

        return bytes;
    }

    private long placesOf(final int channel, final int rank)
    {
        final int localExperts = layout.experts() / geometry.world().size();
        long places = 0;
        for (int expert = rank * localExperts; expert < (rank + 1) * localExperts; expert++)
        {
            places += layout.expertStart(channel + 1, expert) - layout.expertStart(channel, expert);
        }

        return places;
    }

    /** From rank to relay on another node. */
    public Hop dispatchOut()
    {
        return dispatchOut;
    }

    /** From relay to the ranks of its node. */
    public Hop dispatchUp()
    {
        return dispatchUp;
    }

    /** Partial sums, from relay to home. */
    public Hop combineOut()
    {
        return combineOut;
    }

    /** Experts' rows, from the ranks of a node to the relay. */
    public Hop combineUp()
    {
        return combineUp;
    }

    /** Tokens of the sources that were added. */
    public long tokens()
    {
        return tokens;
    }

    /** Nodes that a token goes to, summed over tokens; the own one among them. */
    public long rowsToNodes()
    {
        return rowsToNodes;
    }

    /** Ranks that a token goes to, summed over tokens. */
    public long rowsToRanks()
    {
        return rowsToRanks;
    }

    /** Rows of a rank's output. */
    public long received(final int rank)
    {
        return received[rank];
    }

    /**
     * Memory that each rank takes for rings, blocks and messages, the caller's tensors and the output aside.
     *
     * @param isStaged whether rows that change nodes pass through host memory.
     * @return bytes.
     */
    public long memory(final MemoryKind kind, final boolean isStaged)
    {
        return new ArenaMap(geometry, isStaged).arenas().stream().filter((arena) -> kind.equals(arena.kind()))
            .mapToLong(Arena::planned).sum();
    }
}
