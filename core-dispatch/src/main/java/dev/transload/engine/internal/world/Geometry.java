/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.world;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.SizeConfig;
import dev.transload.engine.World;
import dev.transload.kernels.ElementType;
import java.util.stream.IntStream;

/** All sizes that follow from the world and the settings, equal on every rank but for the own place. */
public final class Geometry
{
    private static final int PAYLOAD_ALIGNMENT = 64;

    /** Blocks of a stream that may be on their way: the default of two channels has 4096 tokens in so many. */
    public static final int BLOCK_SLOTS = 4;

    private final World world;
    private final EngineConfig config;
    /** Rows of a metadata block: 40 KB with eight selections a row. */
    private static final int BLOCK_ROWS = 512;
    private static final int LEAST_BLOCK_ROWS = 32;
    /** All blocks that come to a rank take no more, unless the least of them do. */
    private static final long BLOCK_MEMORY = 32L << 20;

    /** Tables of a handle where row kernels read them: those of some 30,000 tokens, with eight selections each. */
    private static final long TABLE_MEMORY = 4L << 20;

    private final int mostLocals;
    private final int subRing;
    private final int blockRows;
    private final Relays relays;
    private final ElementType partialType;

    /** Compute. */
    public Geometry(final World world, final EngineConfig config)
    {
        this.world = world;
        this.config = config;
        this.mostLocals = IntStream.range(0, world.nodes()).map(world::ranksOf).max().orElseThrow();
        this.relays = new Relays(world, config.channels());
        this.subRing = Math.max(
            config.scaleUp().ring() / relays.most(),
            config.scaleUp().chunk() + config.scaleUp().creditBatch() - 1);
        this.blockRows = settleBlockRows();
        this.partialType = 1 == world.nodes() ? ElementType.F32 : config.combineWire();
    }

    private int settleBlockRows()
    {
        final long blocks = (long)BLOCK_SLOTS * config.channels() * world.size();
        final long rowBytes = Long.BYTES * (long)maskWords() + Integer.BYTES + config.maxTopk() * 2L * Integer.BYTES;
        int rows = BLOCK_ROWS;
        while (rows > LEAST_BLOCK_ROWS && blocks * rows * rowBytes > BLOCK_MEMORY)
        {
            rows /= 2;
        }

        return rows;
    }

    /** Who relays which rows. */
    public Relays relays()
    {
        return relays;
    }

    /** Most rows of a metadata block. */
    public int blockRows()
    {
        return blockRows;
    }

    /**
     * Memory that row kernels read one table of a handle in: all tables have equal shares.
     *
     * @return bytes.
     */
    public long tableBytes()
    {
        final long memory = config.sizes().tableMemory();
        return (SizeConfig.AUTO == memory ? TABLE_MEMORY : memory) / ((long)channels() * (streams() + nodes()));
    }

    /**
     * Rows that the window of a table is long at least, whatever its bytes.
     *
     * @return rows of a part of it.
     */
    public int leastTableRows()
    {
        return SizeConfig.AUTO == config.sizes().tableMemory() ? blockRows : 1;
    }

    /** Most streams that a rank relays in a channel. */
    public int streams()
    {
        return relays.most();
    }

    /**
     * Index of a stream at its relay, among all channels'.
     *
     * @param stream of the relay in the channel.
     * @return entry of sections that have one for each stream.
     */
    public int stream(final int channel, final int stream)
    {
        return channel * streams() + stream;
    }

    /**
     * Index of a stream within a node, among all channels' and ranks'.
     *
     * @param local  at the other end.
     * @param stream of the relay in the channel.
     * @return entry of sections that have one for each stream and local rank.
     */
    public int streamUp(final int channel, final int local, final int stream)
    {
        return (channel * mostLocals() + local) * streams() + stream;
    }

    /** Place of this rank. */
    public World world()
    {
        return world;
    }

    /** Settings. */
    public EngineConfig config()
    {
        return config;
    }

    public int nodes()
    {
        return world.nodes();
    }

    /** Ranks of the own node, absent ones included. */
    public int locals()
    {
        return world.ranksOf(world.node());
    }

    /** Whether a rank of the own node takes no part. */
    public boolean isAbsent(final int local)
    {
        return !world.isPresent(world.rankAt(world.node(), local));
    }

    /** Ranks of the largest node: layouts of memory, signals and masks go by it, and are equal on all ranks. */
    public int mostLocals()
    {
        return mostLocals;
    }

    public int channels()
    {
        return config.channels();
    }

    /** Slots of a scale-out ring. */
    public int outRing()
    {
        return config.scaleOut().ring();
    }

    /**
     * Slots of the scale-up ring of a stream: all streams of a relay share a ring's memory as far as the legal minimum
     * allows.
     */
    public int subRing()
    {
        return subRing;
    }

    /**
     * Type of partial sums in combine's scale-out rings. In a world of one node they never leave the rank and are not
     * rounded.
     *
     * @return BF16 or F32.
     */
    public ElementType partialType()
    {
        return partialType;
    }

    /** Bytes between payload slots: a BF16 row of the widest call, or an FP8 row with its scales, which is shorter. */
    public long payloadStride()
    {
        return align((long)config.maxHidden() * ElementType.BF16.bytes(), PAYLOAD_ALIGNMENT);
    }

    /** Bytes between slots of partial sums. */
    public long partialStride()
    {
        return align((long)config.maxHidden() * partialType.bytes(), PAYLOAD_ALIGNMENT);
    }

    /** Bytes between slots of combine's weights. */
    public int weightStride()
    {
        return (int)align((long)config.maxTopk() * Float.BYTES, Long.BYTES);
    }

    /**
     * Words of a bit mask over the ranks of any node.
     *
     * @return 64-bit words.
     */
    public int maskWords()
    {
        return (mostLocals + Long.SIZE - 1) / Long.SIZE;
    }

    /** Most experts of a rank. */
    public int maxLocalExperts()
    {
        return (config.maxExperts() + world.size() - 1) / world.size();
    }

    /** Experts after padding. */
    public int paddedExperts(final int experts)
    {
        return (experts + world.size() - 1) / world.size() * world.size();
    }

    /** What a rank of the node exposes in a call. */
    public long clearToSend(final int set, final int local)
    {
        return (long)set * mostLocals() + local;
    }

    /**
     * Round up.
     *
     * @param value     not negative.
     * @param alignment a power of two.
     */
    public static long align(final long value, final int alignment)
    {
        return (value + alignment - 1) & -alignment;
    }
}
