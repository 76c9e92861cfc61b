/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.BadInputException;
import dev.transload.engine.Completion;
import dev.transload.engine.DispatchHandle;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.OutputAllocator;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.internal.normal.DispatchCall;
import dev.transload.engine.internal.plan.PlanHandle;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A dispatch, whole or cached. */
final class MaskedDispatch extends MaskedCall<DispatchResult>
{
    private final DispatchRequest request;
    /** Memory from the caller's allocator that ranks could write to when the dispatch was made before. */
    private final Set<TensorMemory> allocated = new HashSet<>();
    /** An engine has begun it, so that ranks know of a given output. */
    private boolean wasBegun;
    /** Of the engine that was first asked for it. */
    private int firstEpoch = -1;
    private long number;
    private int epoch;
    private int leftOutBefore;
    private volatile PlanHandle plan;

    /**
     * With its request.
     *
     * @param handle  of the request, retained, or null.
     * @param request which its caller may change afterwards.
     */
    MaskedDispatch(final MaskingEngine owner, final MaskedHandle handle, final DispatchRequest request)
    {
        super(owner, handle, request.waitFor(), request.timeout());
        this.request = copy(request, request.handle());
        final OutputAllocator allocator = request.allocator();
        if (null != allocator)
        {
            this.request.allocator((shape) -> checked(allocator.allocate(shape)));
        }
    }

    private static DispatchRequest copy(final DispatchRequest from, final DispatchHandle handle)
    {
        final DispatchRequest copy =
            null == from.xScales() ? DispatchRequest.of(from.x()) : DispatchRequest.of(from.x(), from.xScales());
        return copy.topk(from.topkIdx(), from.topkWeights(), from.experts()).cached(handle).layout(from.layout())
            .expertAlignment(from.expertAlignment()).allocator(from.allocator()).output(from.output())
            .waitFor(from.waitFor()).record(from.record()).timeout(from.timeout());
    }

    @Override
    void taken(final long ofCalls)
    {
        number = ofCalls;
        if (null != handle())
        {
            handle().submitted(this);
        }
    }

    @Override
    void check(final NormalEngine engine)
    {
        engine.check(request, null == handle() ? null : handle().routed().plan());
    }

    /** By which it delivers, or has delivered, once it was made. */
    PlanHandle plan()
    {
        return plan;
    }

    @Override
    Completion<DispatchResult> submit(
        final NormalEngine engine, final int current, final Completion<DispatchResult> before)
    {
        firstEpoch = firstEpoch < 0 ? current : firstEpoch;
        wasBegun |= before instanceof final DispatchCall call && call.number() > 0;
        final boolean isCallers = null != request.output() && !exposed(request.output()).isEmpty();
        if (wasBegun && (isCallers || null != request.allocator()))
        {
            // The allocator may bring other memory.
            final int writer = owner().awaitEndOfLostRanks(firstEpoch);
            if (writer >= 0 && isCallers)
            {
                throw mayStillBeWritten(writer);
            }
        }

        epoch = current;
        if (null == handle())
        {
            return engine.dispatch(request);
        }

        final PlanHandle routed = handle().of(current);
        final Completion<DispatchResult> taken = engine.dispatch(copy(request, routed));
        plan = routed;
        leftOutBefore = handle().leftOutBefore();
        return taken;
    }

    private static List<TensorMemory> exposed(final DispatchOutput output)
    {
        final List<TensorMemory> exposed = new ArrayList<>();
        for (final Tensor tensor : new Tensor[]{output.x(), output.xScales()})
        {
            if (null != tensor && tensor.memory().isExposed())
            {
                exposed.add(tensor.memory());
            }
        }

        return exposed;
    }

    /** A rank that was lost while it could write to memory of the caller may only have been stopped, and go on. */
    private DispatchOutput checked(final DispatchOutput output)
    {
        if (null == output)
        {
            return null;
        }

        final List<TensorMemory> now = exposed(output);
        final int writer = now.stream().anyMatch(allocated::contains) ? owner().lostRankThatMayWrite(firstEpoch) : -1;
        if (writer >= 0)
        {
            throw mayStillBeWritten(writer);
        }

        allocated.addAll(now);
        return output;
    }

    private static BadInputException mayStillBeWritten(final int writer)
    {
        return new BadInputException("the output is in memory that rank " + writer + " may still write to, since it " +
            "was lost during this dispatch but its process has not ended: must be left to the engine, or an " +
            "allocator must bring other memory");
    }

    @Override
    DispatchResult conclude(final DispatchResult made)
    {
        plan = (PlanHandle)made.handle();
        final MaskedHandle kept =
            null == handle() ? new MaskedHandle(owner(), number, this, plan, epoch) : handle();
        kept.delivered(plan);
        return new DispatchResult(made.rows(), made.output(), made.rowsPerExpert(), made.rankPrefixSum(), kept,
            made.waitNs(), made.leftOut() + leftOutBefore);
    }
}
