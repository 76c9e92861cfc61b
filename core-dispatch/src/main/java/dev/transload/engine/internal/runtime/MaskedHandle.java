/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.DispatchHandle;
import dev.transload.engine.TokenRoute;
import dev.transload.engine.internal.plan.PlanHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * A handle that outlives lost ranks: each engine that makes a call with it has a plan of its own, routed from the same
 * selections.
 */
final class MaskedHandle implements DispatchHandle
{
    private final MaskingEngine owner;
    private final long callNumber;
    private final List<PlanHandle> plans = new ArrayList<>();
    private int epoch;
    /** Selections that the last plan has no more, since their experts were lost before it was routed. */
    private int leftOutBefore;
    /** The last dispatch with it that was submitted, in whose order later combines take their rows. */
    private MaskedDispatch source;
    /** By which the rows came that the caller has been given last. */
    private PlanHandle delivered;
    /** The caller, and calls. */
    private int users = 1;
    private boolean isClosed;

    /**
     * Of a dispatch.
     *
     * @param owner      by which alone it can be used.
     * @param callNumber of it, equal on all ranks.
     * @param source     itself.
     * @param plan       of the engine that made it.
     * @param epoch      of that engine.
     */
    MaskedHandle(
        final MaskingEngine owner, final long callNumber, final MaskedDispatch source, final PlanHandle plan,
        final int epoch)
    {
        this.owner = owner;
        this.callNumber = callNumber;
        this.source = source;
        this.plans.add(plan);
        this.delivered = plan;
        this.epoch = epoch;
    }

    /** Whether an engine's dispatch returned it. */
    boolean isOf(final MaskingEngine engine)
    {
        return owner == engine;
    }

    /** A call is to use it, which releases it. */
    synchronized boolean retain()
    {
        if (isClosed)
        {
            return false;
        }

        users++;
        return true;
    }

    /** A call, or the caller, uses it no more. */
    synchronized void release()
    {
        if (0 == --users)
        {
            plans.forEach(PlanHandle::close);
        }
    }

    /** Plan of the engine of an epoch, or null if it must be routed again. */
    synchronized PlanHandle of(final int current)
    {
        return current == epoch ? routed() : null;
    }

    /** Whether ranks were readmitted since it was used last, in an engine of an epoch: they do not have it. */
    synchronized boolean isBefore(final int readmission)
    {
        return epoch < readmission;
    }

    /** What was routed last. */
    synchronized PlanHandle routed()
    {
        return plans.get(plans.size() - 1);
    }

    /** Selections that were left out before the last plan was routed. */
    synchronized int leftOutBefore()
    {
        return leftOutBefore;
    }

    /** It was routed again, by the engine of an epoch. */
    synchronized void route(final PlanHandle again, final int current)
    {
        if (current == epoch)
        {
            // Only to have device work pass: the same plan.
            again.close();
            return;
        }

        leftOutBefore += routed().plan().sendLayout().leftOut();
        plans.add(again);
        epoch = current;
    }

    /** Another dispatch with it is submitted. */
    synchronized void submitted(final MaskedDispatch again)
    {
        source = again;
    }

    /** A dispatch with it has ended. */
    synchronized void delivered(final PlanHandle plan)
    {
        delivered = plan;
    }

    /** The last dispatch with it. */
    synchronized MaskedDispatch source()
    {
        return source;
    }

    @Override
    public long callNumber()
    {
        return callNumber;
    }

    @Override
    public int tokens()
    {
        return routed().tokens();
    }

    @Override
    public synchronized int rows()
    {
        return delivered.rows();
    }

    @Override
    public synchronized TokenRoute explain()
    {
        return delivered.explain();
    }

    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            release();
        }
    }
}
