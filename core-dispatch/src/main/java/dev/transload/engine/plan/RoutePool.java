/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import dev.transload.engine.world.Geometry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Tables of closed handles, to be used again: their arrays have grown to the calls that are made. */
public final class RoutePool implements Consumer<RouteTable>
{
    private final Geometry geometry;
    private final Deque<RouteTable> free = new ArrayDeque<>();

    public RoutePool(final Geometry geometry)
    {
        this.geometry = geometry;
    }

    public synchronized RouteTable take()
    {
        return free.isEmpty() ? new RouteTable(geometry, this) : free.pop();
    }

    @Override
    public synchronized void accept(final RouteTable table)
    {
        free.push(table);
    }
}
