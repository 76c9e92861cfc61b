/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.assembly;

import dev.transload.engine.memory.Geometry;
import dev.transload.engine.route.RouteTable;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Tables of closed handles, to be used again: their arrays have grown to the calls that are made. */
final class RoutePool implements Consumer<RouteTable>
{
    private final Geometry geometry;
    private final Deque<RouteTable> free = new ArrayDeque<>();

    RoutePool(final Geometry geometry)
    {
        this.geometry = geometry;
    }

    synchronized RouteTable take()
    {
        return free.isEmpty() ? new RouteTable(geometry, this) : free.pop();
    }

    @Override
    public synchronized void accept(final RouteTable table)
    {
        free.push(table);
    }
}
