/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.StepArguments;
import dev.transload.spi.RowList;

/** The cast of a dispatch's rows to FP8, once for all ranks that they go to. */
final class Cast
{
    private static final long NOT_SUBMITTED = -1;

    private final Parts parts;
    private final Call call;
    private final RowList rows;
    private final RowList scales;
    private long ofCall = NOT_SUBMITTED;
    private long position;

    Cast(final Parts parts)
    {
        this.parts = parts;
        this.call = parts.call();
        this.rows = parts.kernels().allocateRows(call.shape.maxTokens());
        this.scales = parts.kernels().allocateRows(call.shape.maxTokens());
    }

    /** Nothing to do where another primitive of the call has begun it. */
    void begin()
    {
        if (call.number == ofCall)
        {
            return;
        }

        ofCall = call.number;
        position = call.isFp8 && call.tokens > 0 ? NOT_SUBMITTED : 0;
        final long offset = parts.arguments().offset(StepArguments.X);
        for (int i = 0; i < call.tokens && position < 0; i++)
        {
            final long to = i * parts.slots().rowStride();
            rows.set(i, offset + i * call.bf16Bytes(), to);
            scales.set(i, 0, to + call.hidden);
        }
    }

    /** Whether what is submitted from now on reads rows that were cast. */
    boolean isSubmitted()
    {
        if (position < 0)
        {
            position = parts.kernels().quantizeRows(parts.arguments().region(StepArguments.X), parts.scratch(), rows,
                parts.scratch(), scales, 0, call.tokens, call.hidden, parts.arguments().format());
        }

        return position >= 0;
    }

    boolean isDone()
    {
        return isSubmitted() && parts.kernels().completedPosition() >= position;
    }
}
