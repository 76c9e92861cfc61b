/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.engine.world.Stage;
import dev.transload.kernels.ReductionList;
import dev.transload.kernels.RowKernels;
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

    private static final short LEFT_OUT = -1;

    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final BufferSet set;
    private final ReductionList list;
    private final long groups;
    private final long sources;
    /** By expert: region of its answers, place of the first, and from one to the next. */
    private final short[] region;
    private final long[] first;
    private final long[] stride;

    SumList(
        final int ownRank, final Slots slots, final PeerLink[] links, final RowKernels kernels, final BufferSet set)
    {
        this.ownRank = ownRank;
        this.slots = slots;
        this.links = links;
        this.set = set;
        this.list = kernels.allocateReduction(slots.maxTokens(), slots.maxTokens() * slots.maxTopk());
        this.groups = BufferUtil.address(list.memory());
        this.sources = groups + (long)list.groupCapacity() * ReductionList.GROUP_STRIDE;
        final int experts = slots.maxLocalExperts() * slots.ranks();
        this.region = new short[experts];
        this.first = new long[experts];
        this.stride = new long[experts];
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
                learnOwn(request.x());
            }
            else
            {
                learn(links[rank], isListed[rank]);
            }
        }

        Arrays.fill(set.isLeftOut, false);
        write(request.topkWeights(), request.output());
    }

    private void learnOwn(final Tensor x)
    {
        final int begin = ownRank * set.localExperts;
        for (int local = 0; local < set.localExperts; local++)
        {
            region[begin + local] = OWN;
            first[begin + local] = x.offset() + set.firstRow(local, ownRank, slots.expertRows()) * x.rowBytes();
            stride[begin + local] = x.rowBytes();
        }
    }

    private void learn(final PeerLink link, final boolean isListed)
    {
        final int begin = link.rank() * set.localExperts;
        final int end = begin + set.localExperts;
        Arrays.fill(region, begin, end, isListed ? (short)region(link.inStage()) : LEFT_OUT);
        Arrays.fill(first, begin, end, link.answer(set.index, 0));
        Arrays.fill(stride, begin, end, slots.answerStride());
    }

    private void write(final Tensor topkWeights, final Tensor output)
    {
        final int[] selected = set.selected;
        final int[] answers = set.answer;
        final short[] regions = region;
        final long[] firsts = first;
        final long[] strides = stride;
        final int topk = set.topk;
        final int tokens = set.tokens;
        long weight = topkWeights.memory().address() + topkWeights.offset();
        long group = groups;
        long source = sources;
        int count = 0;
        int leftOut = 0;
        for (int token = 0, at = 0; token < tokens; token++, group += ReductionList.GROUP_STRIDE)
        {
            final int firstSource = count;
            for (final int end = at + topk; at < end; at++, weight += Float.BYTES)
            {
                final int expert = selected[at];
                if (expert >= 0 && regions[expert] >= 0)
                {
                    UnsafeApi.putLong(source, firsts[expert] + answers[at] * strides[expert]);
                    UnsafeApi.putInt(source + ReductionList.WEIGHT_OFFSET, UnsafeApi.getInt(weight));
                    UnsafeApi.putShort(source + ReductionList.REGION_OFFSET, regions[expert]);
                    UnsafeApi.putShort(source + ReductionList.BEGINS_PART_OFFSET, (short)0);
                    source += ReductionList.SOURCE_STRIDE;
                    count++;
                }
                else if (expert >= 0)
                {
                    set.isLeftOut[at] = true;
                    leftOut++;
                }
            }

            UnsafeApi.putLong(group, output.offset() + token * output.rowBytes());
            UnsafeApi.putLong(group + ReductionList.BIAS0_OFFSET, 0);
            UnsafeApi.putLong(group + ReductionList.BIAS1_OFFSET, 0);
            UnsafeApi.putInt(group + ReductionList.FIRST_SOURCE_OFFSET, firstSource);
            UnsafeApi.putInt(group + ReductionList.COUNT_OFFSET, count - firstSource);
        }

        set.leftOut = leftOut;
        list.noteWritten(tokens, count);
    }

    ReductionList groups()
    {
        return list;
    }
}
