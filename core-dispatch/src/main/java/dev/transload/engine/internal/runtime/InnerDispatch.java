/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.Completion;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/** A dispatch between the calls of a caller, of which only the selections matter. It has memory of its own. */
final class InnerDispatch implements AutoCloseable
{
    /** Elements of a row. */
    private static final int LEAST_HIDDEN = 8;
    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final MaskingEngine owner;
    private final NormalEngine engine;
    private final List<TensorMemory> own = new ArrayList<>();
    private final Tensor rows;
    private final Tensor idx;
    private final LongBuffer selections;
    private boolean isUsed;

    /**
     * Of tokens whose selections are 0 at first.
     *
     * @param owner when it closes, nobody waits for the dispatch any more.
     */
    InnerDispatch(final MaskingEngine owner, final NormalEngine engine, final int tokens, final int topk)
    {
        this.owner = owner;
        this.engine = engine;
        final TensorMemory host = engine.allocateHost(Math.max(1, (long)tokens * topk * Long.BYTES));
        own.add(host);
        final TensorMemory payload =
            engine.allocatePayload(Math.max(1, (long)tokens * LEAST_HIDDEN * DataType.BF16.bytes()));
        own.add(payload);
        this.rows = new Tensor(payload, 0, DataType.BF16, tokens, LEAST_HIDDEN);
        this.idx = new Tensor(host, 0, DataType.I64, tokens, topk);
        this.selections = idx.view().asLongBuffer();
    }

    void select(final int token, final int place, final long expert)
    {
        selections.put(token * idx.columns() + place, expert);
    }

    /**
     * Have the engine make it.
     *
     * @return null if the owner closes meanwhile: then the memory is in use until the engine is closed.
     */
    DispatchResult make(final int experts, final Duration timeout, final UnaryOperator<DispatchRequest> more)
    {
        final Completion<DispatchResult> made = engine.dispatch(
            more.apply(DispatchRequest.of(rows).topk(idx, null, experts).timeout(timeout)));
        while (!made.isDone())
        {
            isUsed = owner.isClosing();
            if (isUsed)
            {
                return null;
            }

            LockSupport.parkNanos(POLL_NS);
        }

        final DispatchResult result = made.await();
        own.add(result.output().x().memory());
        own.add(result.output().topkIdx().memory());
        return result;
    }

    @Override
    public void close()
    {
        if (!isUsed)
        {
            own.forEach(TensorMemory::close);
        }
    }
}
