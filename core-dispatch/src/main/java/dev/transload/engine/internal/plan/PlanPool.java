/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.internal.world.Geometry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Plans of closed handles, to be used again: their arrays have grown to the calls that are made. */
public final class PlanPool implements Consumer<Plan>
{
    private final Geometry geometry;
    private final Deque<Plan> free = new ArrayDeque<>();

    public PlanPool(final Geometry geometry)
    {
        this.geometry = geometry;
    }

    public synchronized Plan take()
    {
        return free.isEmpty() ? new Plan(geometry, this) : free.pop();
    }

    @Override
    public synchronized void accept(final Plan table)
    {
        free.push(table);
    }
}
