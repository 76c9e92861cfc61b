/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.util.List;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpWorker;

/**
 * UCX objects of an application that the transport uses instead of its own. The application's settings, devices and
 * memory registrations remain in effect.
 * <p>
 * The context must have the features RMA, 64-bit atomics and active messages, and must allow workers on several threads
 * ({@code UcpParams.setMtWorkersShared(true)}). An application worker posts the operations of the transport worker with
 * the same index. While the transport worker is open, only its thread may use the application worker. The application
 * closes its objects after the transport is closed.
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
     * @param workers workers by index of the transport worker that uses them; may be empty.
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
