/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.PeerMemory;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.connect.ThreadResources;
import dev.transload.engine.plan.ForwardRoutes;
import dev.transload.engine.plan.SendLayout;
import dev.transload.engine.ring.CreditReturn;
import dev.transload.engine.ring.PendingHeads;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.wire.Weights;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import dev.transload.spi.SignalRegion;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The rows that the ranks of this node return for one home node's tokens: a stream a local rank, in the order in which
 * they were forwarded. A stream is a sub-ring here, or the rank's own tensor, read in place where it is exposed; it is
 * counted alike, so that the credit given back says in both cases what is not needed any more.
 */
public final class ReturnedRows
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final ThreadResources thread;
    private final SignalRegion signals;
    private final int channel;
    private final int node;
    private final CreditReturn[] returns;
    private final long[] tails;
    private final long[] heads;
    private final long[] firsts;
    private final int[] weighed;
    private final PendingHeads[] consumed;
    private final UnsafeBuffer[] weights;
    private final int subSlots;
    private final int maskWords;
    private CombineCall call;
    private ForwardRoutes routes;
    private boolean areKnown;

    /**
     * Of a channel.
     *
     * @param geometry sizes.
     * @param map      memory.
     * @param thread   which sums them.
     * @param signals  own signals of the scale-up stage.
     * @param channel  lane.
     * @param node     home of the tokens.
     * @param returns  of credit, by local rank.
     */
    public ReturnedRows(
        final Geometry geometry, final ArenaMap map, final ThreadResources thread, final SignalRegion signals,
        final int channel, final int node, final CreditReturn[] returns)
    {
        final int locals = geometry.locals();
        this.geometry = geometry;
        this.map = map;
        this.thread = thread;
        this.signals = signals;
        this.channel = channel;
        this.node = node;
        this.returns = returns;
        this.tails = new long[locals];
        this.heads = new long[locals];
        this.firsts = new long[locals];
        this.weighed = new int[locals];
        this.consumed = new PendingHeads[locals];
        this.weights = new UnsafeBuffer[locals];
        for (int local = 0; local < locals; local++)
        {
            consumed[local] = new PendingHeads();
            weights[local] = new UnsafeBuffer(0, 0);
        }

        this.subSlots = geometry.subRing();
        this.maskWords = geometry.maskWords();
    }

    void begin(final CombineCall next)
    {
        call = next;
        routes = call.routes().forward();
        areKnown = false;
        System.arraycopy(heads, 0, firsts, 0, heads.length);
        Arrays.fill(weighed, 0);
        // What has arrived is looked at anew: it may be in other memory than the last call's, to be acquired first.
        System.arraycopy(heads, 0, tails, 0, heads.length);
    }

    /** Tokens of the home node that this channel carried. */
    int tokens()
    {
        return routes.rows(channel, node);
    }

    /**
     * Whether all ranks have said where their rows are.
     *
     * @param reduction gets local rank i's rows as source region i, once they are known.
     */
    boolean areKnown(final Reduction reduction)
    {
        if (areKnown)
        {
            return true;
        }

        for (int local = 0; local < heads.length; local++)
        {
            if (!thread.exposures().isKnown(local, call.number(), call.form(geometry)))
            {
                return false;
            }
        }

        for (int local = 0; local < heads.length; local++)
        {
            final PeerMemory exposure = exposure(local);
            if (exposure.isOpen())
            {
                reduction.source(
                    local, exposure.window(0), exposure.offset(0), call.rowBytes(), ElementType.BF16);
            }
            else
            {
                reduction.source(local, map.rowsUpIn.arena().region(Stage.SCALE_UP), map.rowsUpIn.offset(0),
                    map.rowsUpIn.stride(), ElementType.BF16);
            }

            if (exposure.isOpen() && call.weightBytes() > 0)
            {
                final long bytes = (long)tokens() * call.weightBytes();
                weights[local].wrap(exposure.window(1).address() + exposure.offset(1) +
                    (long)start(exposure) * call.weightBytes(), Math.toIntExact(bytes));
            }
        }

        areKnown = true;
        return true;
    }

    /** Whether all of them are read in place; once they are known. */
    boolean areInPlace()
    {
        for (int local = 0; local < heads.length; local++)
        {
            if (!exposure(local).isOpen())
            {
                return false;
            }
        }

        return true;
    }

    /** Where they are read in place: two words a local rank. */
    void places(final long[] words, final int from)
    {
        for (int local = 0; local < heads.length; local++)
        {
            words[from + 2 * local] = exposure(local).offset(0);
            words[from + 2 * local + 1] = start(exposure(local));
        }
    }

    private PeerMemory exposure(final int local)
    {
        return thread.exposures().of(local);
    }

    private int start(final PeerMemory exposure)
    {
        return exposure.start(node * geometry.channels() + channel);
    }

    boolean hasRoom()
    {
        return consumed[0].hasRoom();
    }

    /** See what has arrived. */
    void refresh()
    {
        for (int local = 0; local < tails.length; local++)
        {
            final long seen = signals.getAcquire(SignalMap.combineTailUp(geometry, channel, local, node));
            if (seen > tails[local])
            {
                tails[local] = seen;
                arrived(local);
            }
        }
    }

    private void arrived(final int local)
    {
        if (exposure(local).isOpen())
        {
            thread.acquire(Stage.SCALE_UP, exposure(local).window(0));
        }
        else
        {
            thread.acquire(Stage.SCALE_UP, map.rowsUpIn.arena().region(Stage.SCALE_UP));
            thread.tally().found(Stage.SCALE_UP, tails[local] - heads[local]);
        }
    }

    /**
     * Whether all rows of a token are here.
     *
     * @param index of the token among those of the home node.
     */
    boolean isReady(final int index)
    {
        for (int word = 0; word < maskWords; word++)
        {
            for (long bits = routes.mask(channel, node, index, word); 0 != bits; bits &= bits - 1)
            {
                final int local = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                if (heads[local] == tails[local])
                {
                    return false;
                }
            }
        }

        return true;
    }

    /** Whether all rows of all tokens are here. */
    boolean areAllHere()
    {
        for (int local = 0; local < tails.length; local++)
        {
            if (tails[local] < end(local))
            {
                return false;
            }
        }

        return true;
    }

    /** Rows that a rank of the own node returns to this one, which is their tokens' home. */
    private long end(final int local)
    {
        final SendLayout home = call.routes().home();
        final int rank = geometry.world().rankAt(node, local);
        return firsts[local] + home.rowsToRank(channel, rank);
    }

    /** Take the rows of all tokens, of which the kernels know and the weights are summed. */
    void takeAll()
    {
        for (int local = 0; local < heads.length; local++)
        {
            heads[local] = end(local);
        }
    }

    /**
     * Sum a token's weights, token by token, where rows are read in place and taken later.
     *
     * @param index      of the token among those of the home node.
     * @param weightSums [K] where their weights are added up.
     */
    void weigh(final int index, final float[] weightSums)
    {
        for (int word = 0; word < maskWords; word++)
        {
            for (long bits = routes.mask(channel, node, index, word); 0 != bits; bits &= bits - 1)
            {
                final int local = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                addWeights(weights[local], weighed[local]++ * call.weightBytes(), weightSums);
            }
        }
    }

    /**
     * Take a token's rows, local ranks ascending.
     *
     * @param index      of the token among those of the home node.
     * @param sums       where the rows are added as entries.
     * @param weightSums [K] where their weights are added up.
     */
    void take(final int index, final RowTable sums, final float[] weightSums)
    {
        for (int word = 0; word < maskWords; word++)
        {
            for (long bits = routes.mask(channel, node, index, word); 0 != bits; bits &= bits - 1)
            {
                final int local = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                if (exposure(local).isOpen())
                {
                    takeInPlace(local, sums, weightSums);
                }
                else
                {
                    takeFromRing(local, sums, weightSums);
                }

                heads[local]++;
            }
        }
    }

    private void takeInPlace(final int local, final RowTable sums, final float[] weightSums)
    {
        final int row = (int)(heads[local] - firsts[local]);
        sums.add(local, start(exposure(local)) + row);
        addWeights(weights[local], row * call.weightBytes(), weightSums);
    }

    private void takeFromRing(final int local, final RowTable sums, final float[] weightSums)
    {
        final long entry = geometry.subRingStart(channel, local, node) + heads[local] % subSlots;
        sums.add(local, (int)entry);
        addWeights(map.weightsUpIn.buffer(), map.weightsUpIn.index(entry), weightSums);
    }

    private void addWeights(final UnsafeBuffer from, final int at, final float[] weightSums)
    {
        Weights.add(from, at, call.weightBytes() / Float.BYTES, weightSums);
    }

    /** What was taken is not needed any more once the row kernels pass a position. */
    void submitted(final long position)
    {
        for (int local = 0; local < heads.length; local++)
        {
            consumed[local].add(position, heads[local]);
        }
    }

    /** Give back what the row kernels have passed; to a rank whose rows are read in place, the last one too. */
    int settle(final long completed)
    {
        int work = 0;
        for (int local = 0; local < consumed.length; local++)
        {
            final long head = consumed[local].settle(completed);
            work += returns[local].report(head);
            if (areKnown && exposure(local).isOpen() && head == heads[local])
            {
                work += returns[local].reportAll(head);
            }
        }

        return work;
    }

    boolean areReturned()
    {
        for (int local = 0; local < consumed.length; local++)
        {
            final boolean isOwed = areKnown && exposure(local).isOpen() ?
                !returns[local].isReported(heads[local]) : returns[local].isDue(heads[local]);
            if (!areKnown || !consumed[local].isEmpty() || isOwed)
            {
                return false;
            }
        }

        return true;
    }

    /**
     * Report a rank of which rows are missing.
     *
     * @param wait to fill.
     * @return false if none is.
     */
    boolean awaitsAny(final Wait wait)
    {
        for (int local = 0; local < tails.length; local++)
        {
            if (tails[local] < end(local))
            {
                return awaitsTail(wait, local, end(local));
            }
        }

        return false;
    }

    private boolean awaitsTail(final Wait wait, final int local, final long tail)
    {
        return wait.set(geometry.world().rankAt(geometry.world().node(), local), channel,
            WaitCounter.SCALE_UP_TAIL, tail, tails[local]);
    }

    /**
     * Report the rank whose row or word is missing.
     *
     * @param wait  to fill.
     * @param index of the next token.
     * @return false if none is.
     */
    boolean awaits(final Wait wait, final int index)
    {
        for (int local = 0; local < tails.length; local++)
        {
            if (!thread.exposures().isKnown(local, call.number(), call.form(geometry)))
            {
                return thread.exposures().awaits(wait, local, channel, call.number());
            }

            if (index < tokens() && heads[local] == tails[local] &&
                routes.isForwarded(channel, node, index, local))
            {
                return awaitsTail(wait, local, heads[local] + 1);
            }
        }

        return false;
    }
}
