/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.internal.world.Geometry;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.agrona.UnsafeApi;

/**
 * Where the tokens of this rank go. For each token a mask of all ranks; exclusive prefix sums over channels of the rows
 * to each rank, node and expert.
 */
public final class SendLayout
{
    private static final PlanWorkers ALONE = new PlanWorkers(false);
    private static final int FREE = 0;
    private static final int TAKEN = 1;
    private static final long TOPK_BASE = UnsafeApi.arrayBaseOffset(int[].class);

    private final Geometry geometry;
    private final int perToken;
    /** Of each node, the word of a mask that has all its ranks, and their bits there; 0 where they are in several. */
    private final int[] nodeWords;
    private final long[] nodeBits;
    private final TopkReader reader;
    private int tokens;
    private int topk;
    private int experts;
    private int tokensPerChannel;
    private int[] topkIdx = new int[0];
    private long[] masks = new long[0];
    private int[] rankStarts = new int[0];
    private int[] nodeStarts = new int[0];
    private int[] expertStarts = new int[0];
    private LongBuffer choices;
    private int numExperts;
    private final Throwable[] failures;
    private final int[] leftOut;
    private final AtomicIntegerArray taken;
    private final AtomicInteger routed = new AtomicInteger();

    public SendLayout(final Geometry geometry)
    {
        this.geometry = geometry;
        this.perToken = TopkReader.maskWords(geometry);
        this.nodeWords = new int[geometry.nodes()];
        this.nodeBits = new long[geometry.nodes()];
        for (int node = 0; node < geometry.nodes(); node++)
        {
            final int first = geometry.world().first(node);
            final int last = first + geometry.world().ranksOf(node) - 1;
            nodeWords[node] = first >> 6;
            nodeBits[node] =
                first >> 6 != last >> 6 ? 0 : -1L << (first & 63) & -1L >>> Long.SIZE - 1 - (last & 63);
        }

        this.reader = new TopkReader(geometry);
        this.failures = new Throwable[geometry.channels()];
        this.leftOut = new int[geometry.channels()];
        this.taken = new AtomicIntegerArray(geometry.channels());
        for (int channel = 0; channel < geometry.channels(); channel++)
        {
            taken.set(channel, TAKEN);
        }
    }

    /**
     * Compute from routing decisions, alone.
     *
     * @param idx         [T, K] I64, native order.
     * @param expertCount E before padding.
     * @throws dev.transload.engine.BadInputException naming token, value and what is allowed.
     */
    public void compute(final ByteBuffer idx, final int tokenCount, final int k, final int expertCount)
    {
        compute(idx, tokenCount, k, expertCount, ALONE);
    }

    /**
     * Compute from routing decisions. The thread that takes a channel counts it; sums over channels follow.
     *
     * @param idx         [T, K] I64, native order.
     * @param expertCount E before padding.
     * @throws dev.transload.engine.BadInputException naming token, value and what is allowed.
     */
    public void compute(
        final ByteBuffer idx, final int tokenCount, final int k, final int expertCount, final PlanWorkers planWorkers)
    {
        choices = idx.asLongBuffer();
        numExperts = expertCount;
        tokens = tokenCount;
        topk = k;
        experts = geometry.paddedExperts(expertCount);
        tokensPerChannel = (tokenCount + geometry.channels() - 1) / geometry.channels();
        reserve();
        Arrays.fill(failures, null);
        routed.set(0);
        for (int channel = 0; channel < geometry.channels(); channel++)
        {
            taken.set(channel, FREE);
        }

        planWorkers.route(this);
        for (final Throwable failure : failures)
        {
            if (failure instanceof Error)
            {
                throw (Error)failure;
            }

            if (null != failure)
            {
                throw (RuntimeException)failure;
            }
        }

        for (int channel = 0; channel < geometry.channels(); channel++)
        {
            addBefore(rankStarts, channel, geometry.world().size());
            addBefore(nodeStarts, channel, geometry.nodes());
            addBefore(expertStarts, channel, experts);
        }
    }

    private void reserve()
    {
        topkIdx = ensure(topkIdx, Math.multiplyExact(tokens, topk));
        final int maskLength = Math.multiplyExact(tokens, perToken);
        if (masks.length < maskLength)
        {
            masks = new long[maskLength];
        }

        final int rows = geometry.channels() + 1;
        rankStarts = ensure(rankStarts, rows * geometry.world().size());
        nodeStarts = ensure(nodeStarts, rows * geometry.nodes());
        expertStarts = ensure(expertStarts, rows * experts);
        Arrays.fill(rankStarts, 0, geometry.world().size(), 0);
        Arrays.fill(nodeStarts, 0, geometry.nodes(), 0);
        Arrays.fill(expertStarts, 0, experts, 0);
    }

    /** Counts of a channel begin with those of the channels before. */
    private static void addBefore(final int[] starts, final int channel, final int length)
    {
        for (int i = channel * length, end = i + length; i < end; i++)
        {
            starts[i + length] += starts[i];
        }
    }

    /** Reader of the caller. */
    TopkReader reader()
    {
        return reader;
    }

    int channels()
    {
        return geometry.channels();
    }

    /**
     * Take a channel and route it; false where none is left. Any thread, with a reader of its own. A thread that begins
     * with its own channel has what it read and wrote in its caches when it sends.
     */
    boolean routeOne(final int first, final int step, final TopkReader by)
    {
        for (int i = 0, channels = geometry.channels(); i < channels; i++)
        {
            final int channel = Math.floorMod(first + i * step, channels);
            if (FREE == taken.get(channel) && taken.compareAndSet(channel, FREE, TAKEN))
            {
                routeTaken(channel, by);
                return true;
            }
        }

        return false;
    }

    private void routeTaken(final int channel, final TopkReader by)
    {
        try
        {
            route(channel, by);
        }
        catch (final RuntimeException | Error ex)
        {
            // The caller throws the first channel's, as if it had read alone.
            failures[channel] = ex;
        }
        finally
        {
            routed.getAndIncrement();
        }
    }

    /** Whether all channels are done. */
    boolean isRouted()
    {
        return routed.get() == geometry.channels();
    }

    private void route(final int channel, final TopkReader by)
    {
        final int from = firstToken(channel);
        final int end = firstToken(channel + 1);
        Arrays.fill(masks, from * perToken, end * perToken, 0);
        Arrays.fill(expertStarts, (channel + 1) * experts, (channel + 2) * experts, 0);
        by.begin(choices, topk, numExperts, experts);
        by.read(from, end, topkIdx, masks, expertStarts, (channel + 1) * experts);
        leftOut[channel] = by.leftOut();
        by.countMasks(from, end, masks);
        System.arraycopy(by.rankRows(), 0, rankStarts, (channel + 1) * by.rankRows().length, by.rankRows().length);
        System.arraycopy(by.nodeRows(), 0, nodeStarts, (channel + 1) * by.nodeRows().length, by.nodeRows().length);
    }

    /** Tokens of this rank. */
    public int tokens()
    {
        return tokens;
    }

    /** Selections that count as none since they are of absent ranks' experts. */
    public int leftOut()
    {
        int sum = 0;
        for (final int ofChannel : leftOut)
        {
            sum += ofChannel;
        }

        return sum;
    }

    /** Selections of a token. */
    public int topk()
    {
        return topk;
    }

    /** Experts, without padding. */
    public int expertsOfCall()
    {
        return numExperts;
    }

    /** Experts, padding included. */
    public int experts()
    {
        return experts;
    }

    /**
     * First token of a channel.
     *
     * @param channel index; C gives the end of the last one.
     */
    public int firstToken(final int channel)
    {
        return (int)Math.min(tokens, (long)channel * tokensPerChannel);
    }

    /**
     * Expert that a token selected.
     *
     * @param k position among the top-k.
     * @return expert or −1.
     */
    public int expert(final int token, final int k)
    {
        return topkIdx[token * topk + k];
    }

    /**
     * Copy what a token selected, two at a time.
     *
     * @param token   index, which is not checked.
     * @param address of K i32.
     */
    public void copyExperts(final int token, final long address)
    {
        final long from = TOPK_BASE + (long)token * topk * Integer.BYTES;
        int k = 0;
        for (; k < topk - 1; k += 2)
        {
            final long at = (long)k * Integer.BYTES;
            UnsafeApi.putLong(address + at, UnsafeApi.getLong(topkIdx, from + at));
        }

        if (k < topk)
        {
            final long at = (long)k * Integer.BYTES;
            UnsafeApi.putInt(address + at, UnsafeApi.getInt(topkIdx, from + at));
        }
    }

    /** A word of the mask of local ranks of a node which get a token. */
    public long mask(final int token, final int node, final int word)
    {
        final int from = geometry.world().first(node) + word * Long.SIZE;
        final int count = geometry.world().first(node) + geometry.world().ranksOf(node) - from;
        if (count <= 0)
        {
            return 0;
        }

        final int at = token * perToken + (from >> 6);
        final int shift = from & 63;
        long bits = masks[at] >>> shift;
        if (shift + Math.min(count, Long.SIZE) > Long.SIZE)
        {
            bits |= masks[at + 1] << Long.SIZE - shift;
        }

        return count >= Long.SIZE ? bits : bits & (1L << count) - 1;
    }

    /**
     * Whether a token goes to a node.
     *
     * @return true if any of its ranks gets it.
     */
    public boolean isInNode(final int token, final int node)
    {
        if (0 != nodeBits[node])
        {
            return 0 != (masks[token * perToken + nodeWords[node]] & nodeBits[node]);
        }

        long bits = 0;
        for (int word = 0; word < geometry.maskWords(); word++)
        {
            bits |= mask(token, node, word);
        }

        return 0 != bits;
    }

    /**
     * Whether a token goes to a rank.
     *
     * @return true if the rank gets it.
     */
    public boolean isInRank(final int token, final int node, final int local)
    {
        final int rank = geometry.world().rankAt(node, local);
        return 0 != (masks[token * perToken + (rank >> 6)] & 1L << (rank & 63));
    }

    /** Rows to a rank in the channels before one. */
    public int rankStart(final int channel, final int rank)
    {
        return rankStarts[channel * geometry.world().size() + rank];
    }

    /** Rows to a node in the channels before one. */
    public int nodeStart(final int channel, final int node)
    {
        return nodeStarts[channel * geometry.nodes() + node];
    }

    /** Rows of a channel to a rank. */
    public int rowsToRank(final int channel, final int rank)
    {
        return rankStart(channel + 1, rank) - rankStart(channel, rank);
    }

    /** Rows of a channel to a node. */
    public int rowsToNode(final int channel, final int node)
    {
        return nodeStart(channel + 1, node) - nodeStart(channel, node);
    }

    /** Rows to an expert in the channels before one. */
    public int expertStart(final int channel, final int expert)
    {
        return expertStarts[channel * experts + expert];
    }

    private static int[] ensure(final int[] array, final int length)
    {
        return array.length < length ? new int[length] : array;
    }
}
