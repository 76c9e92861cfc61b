/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** The call under way on one rank, as its selections and places are known there. */
final class StepCall
{
    static final int NONE = -1;

    final StepShape shape;
    final int[] expert;
    final int[] slot;
    final int[] place;
    final int[] count;
    /** By source and local expert. */
    final int[] counts;
    final int[] starts;
    long number;
    int tokens;
    int topk;
    int hidden;
    int localExperts;
    boolean isFp8;
    StepPlacement placement;
    int check;
    private int runs;

    StepCall(final StepShape shape)
    {
        this.shape = shape;
        this.number = shape.firstCall();
        this.expert = new int[shape.maxTokens() * shape.maxTopk()];
        this.slot = new int[expert.length];
        this.place = new int[expert.length];
        this.count = new int[shape.localExperts() * shape.ranks()];
        this.counts = new int[count.length];
        this.starts = new int[count.length];
    }

    /** Sort selections; returns how many were not allowed. */
    int begin(final StepArguments arguments, final SteppingFabric fabric)
    {
        // The fault: a replayed submission has the number of the one before.
        number += fabric.has(Fault.STP_1) && 1 == runs++ % 2 ? 0 : 1;
        topk = arguments.topk();
        hidden = arguments.hidden();
        localExperts = shape.localExperts(arguments.experts());
        isFp8 = arguments.isFp8();
        placement = arguments.placement();
        check = StepWords.check(
            arguments.experts(), hidden, isFp8, arguments.format(), arguments.scales(), placement);
        final MemoryRegion tokensAt = arguments.region(StepArguments.TOKENS_AT);
        tokens = null == tokensAt ? arguments.tokens() : Math.max(0, Math.min(arguments.tokens(),
            read(fabric, tokensAt, arguments.offset(StepArguments.TOKENS_AT), Integer.BYTES).getInt()));
        Arrays.fill(count, 0);
        int bad = 0;
        for (int token = 0; token < tokens; token++)
        {
            final Set<Long> seen = new HashSet<>();
            for (int at = token * topk; at < (token + 1) * topk; at++)
            {
                final long id = id(arguments, fabric, at);
                final boolean isSelection = id >= 0 && id < arguments.experts() && seen.add(id);
                bad += id >= 0 && !isSelection ? 1 : 0;
                expert[at] = isSelection ? (int)id : NONE;
                slot[at] = isSelection ? count[(int)id]++ : NONE;
                place[at] = NONE;
            }
        }

        return bad;
    }

    private static long id(final StepArguments arguments, final SteppingFabric fabric, final int at)
    {
        final int bytes = arguments.idBytes();
        final ByteBuffer id = read(fabric, arguments.region(StepArguments.IDS),
            arguments.offset(StepArguments.IDS) + (long)at * bytes, bytes);
        return Long.BYTES == bytes ? id.getLong() : id.getInt();
    }

    static ByteBuffer read(
        final SteppingFabric fabric, final MemoryRegion region, final long offset, final int length)
    {
        return RowAccess.read(region, offset, length, fabric.nextSubmission());
    }

    int owner(final int at)
    {
        return expert[at] < 0 ? NONE : expert[at] / localExperts;
    }

    int local(final int at)
    {
        return expert[at] % localExperts;
    }

    int places()
    {
        return localExperts * shape.expertRows();
    }

    int rowBytes()
    {
        return isFp8 ? hidden : 2 * hidden;
    }
}
