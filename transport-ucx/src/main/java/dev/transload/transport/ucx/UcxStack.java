/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.util.List;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpWorker;

/**
 * UCX objects that an application has made already and lends to the transport, which then brings none of its own: its
 * own settings, devices and memory registrations stay in force.
 * <p>
 * The context must have the features RMA, 64-bit atomics and active messages, and be shared by workers of several
 * threads ({@code UcpParams.setMtWorkersShared(true)}). A lent worker posts the operations of the transport's worker of
 * the same index; while that is open, only its thread may use the lent one. What is lent outlives the transport and is
 * closed by its owner.
 */
public final class UcxStack
{
    private final UcpContext context;
    private final List<UcpWorker> workers;

    private UcxStack(final UcpContext context, final List<UcpWorker> workers)
    {
        this.context = context;
        this.workers = workers;
    }

    /**
     * Lend a context, and workers of it.
     *
     * @param context of the application.
     * @param workers by index of the transport's worker that uses them, may be none.
     * @return the stack.
     */
    public static UcxStack of(final UcpContext context, final UcpWorker... workers)
    {
        if (null == context.getNativeId())
        {
            throw new IllegalArgumentException("context is closed: an open one is needed");
        }

        return new UcxStack(context, List.of(workers));
    }

    UcpContext context()
    {
        return context;
    }

    /** A lent worker, or null where none is lent for this index. */
    UcpWorker worker(final int index)
    {
        return index < workers.size() ? workers.get(index) : null;
    }
}
