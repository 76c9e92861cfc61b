/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepStatus;
import dev.transload.kernels.StepWords;
import java.util.Arrays;
import org.agrona.UnsafeApi;

/** STARTS: where the rows of each source begin, from the counts of all. */
final class Starts implements Primitive, Wait.Look
{
    private static final int COUNT_MASK = (1 << StepWords.COUNT_BITS) - 1;

    private final Parts parts;
    private final Peers peers;
    private final Call call;
    private final int mostExperts;
    private final Wait wait;
    /** By source and local expert. */
    private final int[] counts;
    private final int[] starts;
    /** By source: first local expert whose count has not come. */
    private final int[] next;

    Starts(final Parts parts)
    {
        this.parts = parts;
        this.peers = parts.peers();
        this.call = parts.call();
        this.mostExperts = peers.shape.localExperts();
        this.wait = new Wait(peers, this);
        this.counts = new int[peers.ranks() * mostExperts];
        this.starts = new int[counts.length];
        this.next = new int[peers.ranks()];
    }

    @Override
    public void begin(final long nowNs)
    {
        wait.begin(StepOp.STARTS, true, nowNs);
        Arrays.fill(next, 0);
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        if (!wait.isOver(nowNs) || peers.isGrantOpen(nowNs))
        {
            return false;
        }

        order();
        grant();
        return true;
    }

    /** Where rows wait in slots: all sources whose rows have come have told their counts before. */
    void orderWhatHasCome(final long nowNs)
    {
        Arrays.fill(next, 0);
        for (int source = 0; source < peers.ranks(); source++)
        {
            if (peers.isActive(source) && !hasAll(source, nowNs))
            {
                throw new IllegalStateException("rank " + source + " told of rows, but not how many");
            }
        }

        order();
        tell();
    }

    @Override
    public boolean hasAll(final int source, final long nowNs)
    {
        while (next[source] < mostExperts)
        {
            final int local = next[source];
            final long word = peers.read(source, peers.words.counts(call.number, source, local));
            if (!peers.hasCome(source, word, call.number))
            {
                return false;
            }

            final int value = StepWords.value(word);
            if (value >>> StepWords.COUNT_BITS != call.check || (value & COUNT_MASK) > peers.shape.maxTokens())
            {
                peers.mask(source, StepStatus.OTHER_CALL, StepOp.STARTS);
                return true;
            }

            counts[source * mostExperts + local] = value & COUNT_MASK;
            next[source] = local + 1;
        }

        return true;
    }

    /** Sum up the counts by source, and write what the caller sees of them. */
    private void order()
    {
        final OwnOutput output = peers.ownOutput(parts.arguments().output(), call);
        final int ranks = peers.ranks();
        final long ranges = output.ranges;
        final long totals = output.counts;
        for (int local = 0; local < call.localExperts; local++)
        {
            int row = 0;
            for (int source = 0; source < ranks; source++)
            {
                final int at = source * mostExperts + local;
                final int count = peers.isActive(source) ? counts[at] : 0;
                starts[at] = row;
                UnsafeApi.putLong(ranges + ((long)local * ranks + source) * Long.BYTES, (long)row << Integer.SIZE |
                    count);
                row += count;
            }

            UnsafeApi.putInt(totals + (long)local * Integer.BYTES, row);
        }
    }

    private void grant()
    {
        for (int source = 0; source < peers.ranks(); source++)
        {
            if (peers.isActive(source) && !peers.isFar(source))
            {
                peers.grant(source);
            }
        }

        tell();
        peers.granted(parts.clock().nanoTime());
    }

    private void tell()
    {
        for (int source = 0; source < peers.ranks(); source++)
        {
            if (peers.isActive(source) && !peers.isFar(source))
            {
                for (int local = 0; local < mostExperts; local++)
                {
                    final int row = local < call.localExperts ? starts[source * mostExperts + local] : 0;
                    peers.tell(source, peers.words.starts(call.number, peers.ownRank, local), call.number,
                        StepWords.startValue(row, parts.arguments().output()));
                }
            }
        }
    }

    /** Sources that were masked since have no rows that anybody may look at. */
    void withdraw()
    {
        final long ranges = peers.ownOutput(parts.arguments().output(), call).ranges;
        for (int source = 0; source < peers.ranks(); source++)
        {
            for (int local = 0; local < call.localExperts && !peers.isActive(source); local++)
            {
                UnsafeApi.putInt(ranges + ((long)local * peers.ranks() + source) * Long.BYTES, 0);
            }
        }
    }

    /** First row of a source. */
    int start(final int source, final int local)
    {
        return starts[source * mostExperts + local];
    }
}
