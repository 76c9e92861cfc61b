/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.engine.world.Stage;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import java.util.Arrays;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * The sums of a combine: for each token the answers of the experts that it selected, where they are or will be. Answers
 * of the own rank's experts are read where they are. Written by address, from tables by expert.
 */
final class SumList
{
    /** Region of the own rank's answers; those of others follow by stage. */
    static final int OWN = 0;

    /** Of a reduction. */
    static final int REGIONS = 1 + Stage.values().length;

    private static final short LEFT_OUT = -1;

    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final BufferSet set;
    private final RowTable table;
    private final long rows;
    private final long entries;
    private final long weights;
    /** By expert: region of its answers, and row of the first. */
    private final short[] region;
    private final int[] first;
    /** By region, with the own one: greatest row that the table names. */
    private final int[] greatest = new int[REGIONS];

    SumList(
        final int ownRank, final Slots slots, final PeerLink[] links, final RowKernels kernels, final BufferSet set)
    {
        this.ownRank = ownRank;
        this.slots = slots;
        this.links = links;
        this.set = set;
        this.table = kernels.allocateWeightedTable(slots.maxTokens(), slots.maxTokens() * slots.maxTopk());
        this.rows = BufferUtil.address(table.memory());
        this.entries = rows + table.entriesOffset();
        this.weights = rows + table.weightsOffset();
        final int experts = slots.maxLocalExperts() * slots.ranks();
        this.region = new short[experts];
        this.first = new int[experts];
    }

    static int region(final Stage stage)
    {
        return 1 + stage.ordinal();
    }

    /**
     * List the sums anew.
     *
     * @param request  that they are for.
     * @param isListed whose answers are summed besides those of the own rank; all others are left out.
     */
    void write(final LowLatencyCombineRequest request, final boolean[] isListed)
    {
        for (int rank = 0; rank < slots.ranks(); rank++)
        {
            if (rank == ownRank)
            {
                learnOwn();
            }
            else
            {
                learn(links[rank], isListed[rank]);
            }
        }

        Arrays.fill(set.isLeftOut, false);
        write(request.topkWeights());
    }

    private void learnOwn()
    {
        final int begin = ownRank * set.localExperts;
        for (int local = 0; local < set.localExperts; local++)
        {
            region[begin + local] = OWN;
            first[begin + local] = set.firstRow(local, ownRank, slots.expertRows());
        }
    }

    private void learn(final PeerLink link, final boolean isListed)
    {
        final int begin = link.rank() * set.localExperts;
        final int end = begin + set.localExperts;
        Arrays.fill(region, begin, end, isListed ? (short)region(link.inStage()) : LEFT_OUT);
        Arrays.fill(first, begin, end, link.firstAnswer(set.index));
    }

    private void write(final Tensor topkWeights)
    {
        final int[] selected = set.selected;
        final int[] answers = set.answer;
        final short[] regions = region;
        final int[] firsts = first;
        final int topk = set.topk;
        final int tokens = set.tokens;
        Arrays.fill(greatest, -1);
        long given = topkWeights.memory().address() + topkWeights.offset();
        int count = 0;
        int leftOut = 0;
        for (int token = 0, at = 0; token < tokens; token++)
        {
            UnsafeApi.putInt(rows + (long)token * RowTable.ROW_STRIDE, token);
            UnsafeApi.putInt(rows + (long)token * RowTable.ROW_STRIDE + RowTable.FIRST_ENTRY_OFFSET, count);
            for (final int end = at + topk; at < end; at++, given += Float.BYTES)
            {
                final int expert = selected[at];
                if (expert >= 0 && regions[expert] >= 0)
                {
                    final int row = firsts[expert] + answers[at];
                    final long entry = entries + (long)count * RowTable.ENTRY_STRIDE;
                    UnsafeApi.putInt(entry, row);
                    UnsafeApi.putInt(entry + RowTable.REGION_OFFSET, regions[expert]);
                    UnsafeApi.putInt(weights + (long)count * RowTable.WEIGHT_STRIDE, UnsafeApi.getInt(given));
                    greatest[regions[expert]] = Math.max(greatest[regions[expert]], row);
                    count++;
                }
                else if (expert >= 0)
                {
                    set.isLeftOut[at] = true;
                    leftOut++;
                }
            }
        }

        set.leftOut = leftOut;
        table.noteWritten(tokens, count, tokens - 1, topk, false);
        for (int i = 0; i < REGIONS; i++)
        {
            if (greatest[i] >= 0)
            {
                table.noteNamed(i, greatest[i]);
            }
        }
    }

    RowTable table()
    {
        return table;
    }
}
