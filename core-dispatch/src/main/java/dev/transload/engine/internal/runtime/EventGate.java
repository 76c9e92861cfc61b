/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.normal.Call;
import dev.transload.engine.internal.normal.Role;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.kernels.RowKernels;
import java.util.List;

/**
 * The first role of each thread: chains the thread's row kernels and channels to the event which a call waits for.
 * Until that is done the thread's other roles wait, so that none of their device work comes before the event.
 */
final class EventGate extends Role<Call>
{
    private final int ownRank;
    private final RowKernels kernels;
    private final List<Connection> connections;
    private Call call;
    private long position;
    private int chained;

    /** Of a thread whose connections may still be added. */
    EventGate(final int ownRank, final RowKernels kernels, final List<Connection> connections)
    {
        super(Call.class, "event-gate");
        this.ownRank = ownRank;
        this.kernels = kernels;
        this.connections = connections;
    }

    @Override
    protected boolean begin(final Call next)
    {
        call = next;
        position = RowKernels.BACK_PRESSURED;
        chained = 0;
        return null != next.waitFor();
    }

    @Override
    protected int step()
    {
        if (position < 0)
        {
            position = kernels.waitFor(call.waitFor());
            if (position < 0)
            {
                return 0;
            }
        }

        final int before = chained;
        while (chained < connections.size() &&
            connections.get(chained).isAccepted(connections.get(chained).channel().startAfter(kernels, position)))
        {
            chained++;
        }

        return chained - before;
    }

    @Override
    protected boolean isComplete()
    {
        return position >= 0 && connections.size() == chained;
    }

    /** A transport that cannot chain refuses until the event has happened. */
    @Override
    public boolean isWaiting(final Wait wait)
    {
        return wait.set(ownRank, -1, WaitCounter.EVENT, position, kernels.completedPosition());
    }
}
