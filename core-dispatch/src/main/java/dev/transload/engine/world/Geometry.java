/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.world;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.kernels.ElementType;

/** All sizes that follow from the world and the settings, equal on every rank but for the own place. */
public final class Geometry
{
    private static final int PAYLOAD_ALIGNMENT = 64;

    private final World world;
    private final EngineConfig config;
    private final int subRing;
    private final ElementType partialType;

    /**
     * Compute.
     *
     * @param world  place of this rank.
     * @param config settings.
     */
    public Geometry(final World world, final EngineConfig config)
    {
        this.world = world;
        this.config = config;
        this.subRing = Math.max(
            config.scaleUp().ring() / world.nodes(),
            config.scaleUp().chunk() + config.scaleUp().creditBatch() - 1);
        this.partialType = 1 == world.nodes() ? ElementType.F32 : config.combineWire();
    }

    /**
     * Place of this rank.
     *
     * @return world.
     */
    public World world()
    {
        return world;
    }

    /**
     * Settings.
     *
     * @return config.
     */
    public EngineConfig config()
    {
        return config;
    }

    /**
     * Nodes.
     *
     * @return N.
     */
    public int nodes()
    {
        return world.nodes();
    }

    /**
     * Ranks of a node.
     *
     * @return G.
     */
    public int locals()
    {
        return world.ranksPerNode();
    }

    /**
     * Channels.
     *
     * @return C.
     */
    public int channels()
    {
        return config.channels();
    }

    /**
     * Whether one channel sends all channels' rows by its lists. Where the CPU copies rows each sends its own: all
     * threads copy. A device is given work by launches, at which threads only hold each other up.
     *
     * @return true if rows lie on devices.
     */
    public boolean isListedByOne()
    {
        return !config.payloadKind().isHost();
    }

    /**
     * Channel that lists the rows of all, where one does: another one for each local rank, as far as there are
     * channels, so that no list waits until another is written. The own rank's come last, as they need no link; and
     * the last channel comes first, since the first one's thread also conducts calls and notifies.
     *
     * @param from local rank of the source.
     * @param to   local rank of the destination.
     * @return channel, known to both.
     */
    public int lister(final int from, final int to)
    {
        return channels() - 1 - (to - from - 1 + locals()) % locals() % channels();
    }

    /**
     * Whether a channel lists the rows of all.
     *
     * @param channel that lists.
     * @param from    local rank of the source.
     * @param to      local rank of the destination.
     * @return true if so; where one channel lists them, the others list none.
     */
    public boolean listsAll(final int channel, final int from, final int to)
    {
        return isListedByOne() && channel == lister(from, to);
    }

    /**
     * First of the channels whose rows a channel lists.
     *
     * @param channel that lists.
     * @param from    local rank of the source.
     * @param to      local rank of the destination.
     * @return channel.
     */
    public int firstListed(final int channel, final int from, final int to)
    {
        return listsAll(channel, from, to) ? 0 : channel;
    }

    /**
     * Channel after the last of those whose rows a channel lists.
     *
     * @param channel that lists.
     * @param from    local rank of the source.
     * @param to      local rank of the destination.
     * @return channel; the first one itself where it lists none.
     */
    public int endListed(final int channel, final int from, final int to)
    {
        return listsAll(channel, from, to) ? channels() : isListedByOne() ? channel : channel + 1;
    }

    /**
     * Slots of a scale-out ring.
     *
     * @return slots.
     */
    public int outRing()
    {
        return config.scaleOut().ring();
    }

    /**
     * Slots of a scale-up ring of dispatch.
     *
     * @return slots.
     */
    public int upRing()
    {
        return config.scaleUp().ring();
    }

    /**
     * Slots of a scale-up sub-ring of combine, one of N that share a ring's memory as far as the legal minimum allows.
     *
     * @return slots.
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

    /**
     * Bytes between payload slots: a BF16 row of the widest call, or an FP8 row with its scales, which is shorter.
     *
     * @return bytes.
     */
    public long payloadStride()
    {
        return align((long)config.maxHidden() * ElementType.BF16.bytes(), PAYLOAD_ALIGNMENT);
    }

    /**
     * Bytes between slots of partial sums.
     *
     * @return bytes.
     */
    public long partialStride()
    {
        return align((long)config.maxHidden() * partialType.bytes(), PAYLOAD_ALIGNMENT);
    }

    /**
     * Bytes between slots of combine's weights.
     *
     * @return bytes.
     */
    public int weightStride()
    {
        return (int)align((long)config.maxTopk() * Float.BYTES, Long.BYTES);
    }

    /**
     * Words of a bit mask over the local ranks.
     *
     * @return 64-bit words.
     */
    public int maskWords()
    {
        return (world.ranksPerNode() + Long.SIZE - 1) / Long.SIZE;
    }

    /**
     * Most experts of a rank.
     *
     * @return L of the largest model.
     */
    public int maxLocalExperts()
    {
        return (config.maxExperts() + world.size() - 1) / world.size();
    }

    /**
     * Experts after padding.
     *
     * @param experts of the model.
     * @return multiple of P.
     */
    public int paddedExperts(final int experts)
    {
        return (experts + world.size() - 1) / world.size() * world.size();
    }

    /**
     * First slot of a scale-out ring which every node has, the own one too.
     *
     * @param channel lane.
     * @param node    at the other end.
     * @return entry of its sections.
     */
    public long outRingStart(final int channel, final int node)
    {
        return ((long)channel * nodes() + node) * outRing();
    }

    /**
     * First slot of a scale-out ring which only other nodes have.
     *
     * @param channel lane.
     * @param node    at the other end.
     * @param at      the node whose ring it is.
     * @return entry of its sections.
     */
    public long otherRingStart(final int channel, final int node, final int at)
    {
        return ((long)channel * (nodes() - 1) + indexAmongOthers(node, at)) * outRing();
    }

    /**
     * First slot of a scale-up ring of dispatch.
     *
     * @param channel lane.
     * @param local   forwarder.
     * @return entry of its sections.
     */
    public long upRingStart(final int channel, final int local)
    {
        return ((long)channel * locals() + local) * upRing();
    }

    /**
     * First slot of a scale-up sub-ring of combine.
     *
     * @param channel lane.
     * @param local   at the other end.
     * @param node    home.
     * @return entry of its sections.
     */
    public long subRingStart(final int channel, final int local, final int node)
    {
        return (((long)channel * locals() + local) * nodes() + node) * subRing;
    }

    /**
     * Lane meta between nodes.
     *
     * @param set     of messages.
     * @param channel lane.
     * @param node    at the other end.
     * @return entry of its sections.
     */
    public long laneOut(final int set, final int channel, final int node)
    {
        return ((long)set * channels() + channel) * nodes() + node;
    }

    /**
     * Lane meta within a node.
     *
     * @param set     of messages.
     * @param channel lane.
     * @param local   at the other end.
     * @param node    source that it is about.
     * @return entry of its sections.
     */
    public long laneUp(final int set, final int channel, final int local, final int node)
    {
        return (((long)set * channels() + channel) * locals() + local) * nodes() + node;
    }

    /**
     * What a rank of the node exposes in a call.
     *
     * @param set   of messages.
     * @param local at the other end.
     * @return entry of its sections.
     */
    public long exposure(final int set, final int local)
    {
        return (long)set * locals() + local;
    }

    /**
     * Index of a node among the N − 1 others of another node.
     *
     * @param node to index.
     * @param at   the node which counts its others.
     * @return in [0, N − 1).
     */
    private static int indexAmongOthers(final int node, final int at)
    {
        return node < at ? node : node - 1;
    }

    /**
     * Round up.
     *
     * @param value     not negative.
     * @param alignment a power of two.
     * @return multiple of alignment.
     */
    public static long align(final long value, final int alignment)
    {
        return (value + alignment - 1) & -alignment;
    }
}
