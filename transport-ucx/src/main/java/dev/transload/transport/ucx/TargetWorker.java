/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.agrona.concurrent.SystemNanoClock;
import org.openucx.jucx.ucp.UcpWorker;

/**
 * The UCX worker to which peers' endpoints lead. Operations that no hardware carries out on its own, as over TCP, are
 * carried out by the thread that drives it: a caller's in its duty cycle, the transport's while callers are idle.
 */
final class TargetWorker
{
    private static final VarHandle BUSY;

    private final UcpWorker worker;
    private final UcpCalls calls;
    private final long handle;
    private final ByteBuffer address;
    private final CallerActivity callers = new CallerActivity(SystemNanoClock.INSTANCE);
    private volatile boolean busy;
    private boolean isClosed;

    static
    {
        try
        {
            BUSY = MethodHandles.lookup().findVarHandle(TargetWorker.class, "busy", boolean.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    TargetWorker(final UcpWorker worker, final UcpCalls calls)
    {
        this.worker = worker;
        this.calls = calls;
        this.handle = worker.getNativeId();
        this.address = worker.getAddress();
    }

    /** Where endpoints are led to, as UCX packed it. */
    ByteBuffer address()
    {
        return address.duplicate();
    }

    /** Callers' threads: carry out what peers ask for, unless another thread does so already. */
    int progress()
    {
        callers.onTurn();
        return drive();
    }

    /** The transport's thread: as {@link #progress()}, where no caller has done so of late. */
    int progressForIdleCallers()
    {
        return callers.areCallersIdle() ? drive() : 0;
    }

    /** Once; peers' operations are carried out no more. */
    void close()
    {
        while (!BUSY.compareAndSet(this, false, true))
        {
            Thread.onSpinWait();
        }

        isClosed = true;
        BUSY.setRelease(this, false);
        calls.bind();
        worker.close();
    }

    private int drive()
    {
        if (busy || !BUSY.compareAndSet(this, false, true))
        {
            return 0;
        }

        try
        {
            return isClosed ? 0 : calls.progress(handle);
        }
        finally
        {
            BUSY.setRelease(this, false);
        }
    }
}
