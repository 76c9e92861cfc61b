/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.DataType;
import dev.transload.kernels.ScaleFormat;
import java.util.Arrays;

/**
 * One of the two buffer sets, and the call that it serves: what the dispatch is like, where each selection of this
 * rank's tokens went, and where received rows were packed. Filled by the call's roles, one after the other.
 */
final class BufferSet
{
    /** Of a selection that went nowhere. */
    static final int NOWHERE = -1;

    /** Which of the two. */
    final int index;
    final Lanes lanes;
    /** Number of the dispatch, ascending from 1. */
    long call;
    LowLatencyDispatchRequest request;
    int experts;
    int localExperts;
    int hidden;
    int tokens;
    int topk;
    boolean isFp8;
    /** The selection's expert by token and k, {@link #NOWHERE} for none; masked ranks' experts too. */
    final int[] selected;
    /** Slot of the answer at this rank; for the own rank's experts that of the row. */
    final int[] answer;
    /** Rows from each rank by (local expert, rank), and the first of them in the expert's rows. */
    final int[] counts;
    final int[] begins;
    /** Ranks whose rows have come and whose answers are waited for. */
    final boolean[] isReceived;
    /** Selections of this rank's tokens that the combine left out, and how many they are. */
    final boolean[] isLeftOut;
    int leftOut;
    private final int ranks;
    private final int channels;

    BufferSet(final int index, final Slots slots, final Lanes lanes)
    {
        this.index = index;
        this.lanes = lanes;
        this.ranks = slots.ranks();
        this.channels = slots.channels();
        this.selected = new int[slots.maxTokens() * slots.maxTopk()];
        this.answer = new int[selected.length];
        this.counts = new int[slots.maxLocalExperts() * ranks];
        this.begins = new int[counts.length];
        this.isReceived = new boolean[ranks];
        this.isLeftOut = new boolean[selected.length];
    }

    void begin(final long number, final LowLatencyDispatchRequest given)
    {
        call = number;
        request = given;
        experts = given.experts();
        localExperts = (experts + ranks - 1) / ranks;
        hidden = given.x().columns();
        tokens = given.x().rows();
        topk = given.topkIdx().columns();
        isFp8 = DataType.F8_E4M3 == given.output().x().type();
        Arrays.fill(counts, 0);
        Arrays.fill(begins, 0);
        Arrays.fill(isReceived, false);
        Arrays.fill(isLeftOut, false);
        leftOut = 0;
    }

    /** What ranks must agree on about the rows' bytes. */
    int format()
    {
        return isFp8 ? ScaleFormat.AMAX == request.scaleFormat() ? 1 : 2 : 0;
    }

    int rowBytes()
    {
        return (int)(isFp8 ? Slots.fp8Bytes(hidden) : Slots.bf16Bytes(hidden));
    }

    int channel(final int localExpert)
    {
        return localExpert % channels;
    }

    /** Experts of a rank whose rows use a channel: every {@code channels}-th one. */
    int channelExperts(final int channel)
    {
        return (localExperts - channel + channels - 1) / channels;
    }

    /** Row in the output of the first row that a rank sent to a local expert. */
    int firstRow(final int localExpert, final int rank, final int expertRows)
    {
        return localExpert * expertRows + begins[localExpert * ranks + rank];
    }
}
