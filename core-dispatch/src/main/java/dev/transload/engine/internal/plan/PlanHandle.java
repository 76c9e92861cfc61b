/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.DispatchHandle;
import dev.transload.engine.TokenRoute;

/**
 * A caller's hold on a plan. One for each dispatch, since plans are reused: a handle that was closed must stay closed,
 * and must not close the dispatch that its plan serves next.
 */
public final class PlanHandle implements DispatchHandle
{
    private final Plan routes;
    private long callNumber;
    private int tokens;
    private int rows;
    private boolean isConcluded;
    private boolean isClosed;

    /** On a plan just opened. */
    public PlanHandle(final Plan routes)
    {
        this.routes = routes;
    }

    /** The dispatch that fills the plan completed: from now on calls may use it. */
    public synchronized void conclude()
    {
        if (!isConcluded)
        {
            callNumber = routes.callNumber();
            tokens = routes.tokens();
            rows = routes.rows();
            isConcluded = true;
        }
    }

    /**
     * A call is to use the plan; it stays with the call even if the caller closes the handle meanwhile.
     *
     * @return false if the handle is closed or its dispatch is not complete.
     */
    public synchronized boolean retain()
    {
        if (isClosed || !isConcluded)
        {
            return false;
        }

        routes.retain();
        return true;
    }

    /** The plan, for calls that retain it. */
    public Plan plan()
    {
        return routes;
    }

    @Override
    public synchronized long callNumber()
    {
        return callNumber;
    }

    @Override
    public synchronized int tokens()
    {
        return tokens;
    }

    @Override
    public synchronized int rows()
    {
        return rows;
    }

    @Override
    public TokenRoute explain()
    {
        return new PlanTokenRoute(this);
    }

    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            routes.release();
        }
    }
}
