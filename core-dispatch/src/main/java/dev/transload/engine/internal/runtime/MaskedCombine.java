/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CombineRequest;
import dev.transload.engine.CombineResult;
import dev.transload.engine.Completion;
import dev.transload.engine.DispatchHandle;
import dev.transload.engine.Tensor;
import dev.transload.engine.internal.plan.PlanHandle;

/** A combine, whose rows are in the order of the last dispatch with its handle that was submitted before. */
final class MaskedCombine extends MaskedCall<CombineResult>
{
    private final CombineRequest request;
    /** Dispatch that delivers the caller's rows. */
    private final MaskedDispatch source;
    private int leftOutBefore;

    /**
     * With its request.
     *
     * @param handle of the request, retained.
     */
    MaskedCombine(final MaskingEngine owner, final MaskedHandle handle, final CombineRequest request)
    {
        super(owner, handle, request.waitFor(), request.timeout());
        this.source = handle.source();
        this.request = copy(request, request.handle(), request.x(), request.topkWeights());
    }

    private static CombineRequest copy(
        final CombineRequest from, final DispatchHandle handle, final Tensor x, final Tensor weights)
    {
        return CombineRequest.of(handle, x).topkWeights(weights).biases(from.bias0(), from.bias1())
            .output(from.output(), from.outputWeights()).waitFor(from.waitFor()).record(from.record())
            .timeout(from.timeout());
    }

    @Override
    void check(final NormalEngine engine)
    {
        final PlanHandle order = source.plan();
        engine.check(request, (null == order ? handle().routed() : order).plan());
    }

    @Override
    boolean isInOrder(final PlanHandle routed)
    {
        return source.plan() == routed;
    }

    /** Rows of lost ranks are left out of what the caller has, once its device work has passed. */
    @Override
    Completion<CombineResult> submit(
        final NormalEngine engine, final int current, final Completion<CombineResult> before)
    {
        final PlanHandle plan = handle().of(current);
        leftOutBefore = handle().leftOutBefore();
        final RowMoves moves = isInOrder(plan) ? null : new RowMoves(engine, this, source.plan().plan(), plan.plan());
        final Tensor weights = request.topkWeights();
        return engine.combine(copy(request, plan,
            null == moves ? request.x() : moves.move(request.x()),
            null == moves || null == weights ? weights : moves.move(weights)));
    }

    @Override
    CombineResult conclude(final CombineResult made)
    {
        return new CombineResult(made.x(), made.topkWeights(), made.leftOut() + leftOutBefore);
    }
}
