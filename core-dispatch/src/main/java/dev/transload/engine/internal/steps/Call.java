/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.Fp8;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepWords;
import java.util.Arrays;
import org.agrona.UnsafeApi;

/** The call under way: its selections sorted by expert, and where each of them has its row. */
final class Call
{
    /** In place of an expert, a slot or a row, where there is none. */
    static final int NONE = -1;

    final StepShape shape;
    /** By selection (t, k). */
    final int[] expert;
    final int[] slot;
    /** By selection: place in the owner's output, {@link #NONE} where its row was not sent. */
    final int[] place;
    /** By padded expert: selections. */
    final int[] count;
    private final int[] lastToken;
    long number;
    int tokens;
    int topk;
    int hidden;
    int experts;
    int localExperts;
    int badIds;
    boolean isFp8;
    StepPlacement placement;
    int check;

    Call(final StepShape shape)
    {
        this.shape = shape;
        this.number = shape.firstCall();
        final int selections = shape.maxTokens() * shape.maxTopk();
        this.expert = new int[selections];
        this.slot = new int[selections];
        this.place = new int[selections];
        this.count = new int[shape.localExperts() * shape.ranks()];
        this.lastToken = new int[count.length];
    }

    /** BUCKET. */
    void begin(final StepArguments arguments)
    {
        number++;
        topk = arguments.topk();
        hidden = arguments.hidden();
        experts = arguments.experts();
        localExperts = shape.localExperts(experts);
        isFp8 = arguments.isFp8();
        placement = arguments.placement();
        check = StepWords.check(experts, hidden, isFp8, arguments.format(), arguments.scales(), placement);
        tokens = null == arguments.region(StepArguments.TOKENS_AT) ? arguments.tokens() :
            Math.max(0, Math.min(arguments.tokens(), UnsafeApi.getInt(address(arguments, StepArguments.TOKENS_AT))));
        badIds = 0;
        Arrays.fill(count, 0);
        Arrays.fill(lastToken, NONE);
        Arrays.fill(place, 0, tokens * topk, NONE);
        bucket(address(arguments, StepArguments.IDS), Long.BYTES == arguments.idBytes());
    }

    static long address(final StepArguments arguments, final int field)
    {
        return arguments.region(field).address() + arguments.offset(field);
    }

    private void bucket(final long ids, final boolean isLong)
    {
        for (int token = 0, at = 0; token < tokens; token++)
        {
            for (final int end = at + topk; at < end; at++)
            {
                final long id = isLong ? UnsafeApi.getLong(ids + (long)at * Long.BYTES) :
                    UnsafeApi.getInt(ids + (long)at * Integer.BYTES);
                final boolean isSelection = id >= 0 && id < experts && lastToken[(int)id] != token;
                expert[at] = isSelection ? (int)id : NONE;
                if (isSelection)
                {
                    lastToken[(int)id] = token;
                    slot[at] = count[(int)id]++;
                }
                else if (id >= 0)
                {
                    badIds++;
                }
            }
        }
    }

    int owner(final int ofExpert)
    {
        return ofExpert / localExperts;
    }

    /** Selections of an owner's experts. */
    int countOf(final int owner)
    {
        int rows = 0;
        for (int expert = owner * localExperts; expert < (owner + 1) * localExperts; expert++)
        {
            rows += count[expert];
        }

        return rows;
    }

    int selections()
    {
        return tokens * topk;
    }

    /** L·R, and R. */
    int places()
    {
        return localExperts * shape.expertRows();
    }

    long bf16Bytes()
    {
        return 2L * hidden;
    }

    long rowBytes()
    {
        return isFp8 ? hidden : bf16Bytes();
    }

    /** Of a row in a slot, with its scales behind it. */
    long slotBytes()
    {
        return isFp8 ? hidden + scaleBytes() : bf16Bytes();
    }

    int scaleBytes()
    {
        return Fp8.scales(hidden) * Float.BYTES;
    }
}
