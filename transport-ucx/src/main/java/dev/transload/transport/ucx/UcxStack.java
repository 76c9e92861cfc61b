/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.util.List;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpWorker;

/**
 * UCX objects that an application creates, and that the transport uses instead of its own objects. The application's
 * settings, devices and memory registrations remain in effect.
 * <p>
 * The context must have the features RMA, 64-bit atomics and active messages, and must allow workers on several threads
 * ({@code UcpParams.setMtWorkersShared(true)}). Each UCX worker of the application posts the operations of the
 * transport worker that has the same index. While the transport worker is open, only the thread that drives the
 * transport worker may use the UCX worker. The application closes its objects after the transport is closed.
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
     * Creates a stack from a context and workers of that context.
     *
     * @param context UCX context of the application.
     * @param workers UCX workers; the transport worker with index i uses the worker at position i of this list. The
     *                list may be empty: for an index beyond the list, the transport creates a UCX worker.
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
