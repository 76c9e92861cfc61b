/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.transload.natives.BundledLibrary;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.openucx.jucx.ucs.UcsConstants;

/** Two workers of one context in one process, the near one connected to the far one, and a block of memory of each. */
final class Loopback implements AutoCloseable
{
    static final int LENGTH = 1 << 20;

    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);

    final UcpCalls calls;
    final UnsafeBuffer near;
    final UnsafeBuffer far;
    final long worker;
    final long endpoint;
    final long remoteKey;
    final long memoryHandle;

    private final UcpContext context;
    private final UcpWorker nearWorker;
    private final UcpWorker farWorker;
    private final UcpMemory nearMemory;
    private final UcpMemory farMemory;
    private final UcpEndpoint jucxEndpoint;
    private final UcpRemoteKey jucxKey;

    Loopback(final UcpBinding binding, final String transports)
    {
        final UcpLibrary library = load(binding);
        calls = library.calls();
        context = new UcpContext(new UcpParams().requestRmaFeature().requestAtomic64BitFeature()
            .setMtWorkersShared(true).setConfig("TLS", transports));
        nearWorker = context.newWorker(new UcpWorkerParams());
        farWorker = context.newWorker(new UcpWorkerParams());
        nearMemory = allocate(context);
        farMemory = allocate(context);
        near = new UnsafeBuffer(nearMemory.getAddress(), LENGTH);
        far = new UnsafeBuffer(farMemory.getAddress(), LENGTH);
        near.setMemory(0, LENGTH, (byte)0);
        far.setMemory(0, LENGTH, (byte)0);

        jucxEndpoint = nearWorker.newEndpoint(new UcpEndpointParams().setUcpAddress(farWorker.getAddress()));
        jucxKey = jucxEndpoint.unpackRemoteKey(farMemory.getRemoteKeyBuffer());
        worker = nearWorker.getNativeId();
        endpoint = jucxEndpoint.getNativeId();
        remoteKey = jucxKey.getNativeId();
        memoryHandle = nearMemory.getNativeId();
    }

    /** On a machine without a C compiler there is no JNI to test: the build has said so, and skips it. */
    static UcpLibrary load(final UcpBinding binding)
    {
        final String shim = BundledLibrary.resource(JniCalls.LIBRARY);
        assumeTrue(UcpBinding.JNI != binding || null != JniCalls.class.getResource(shim),
            "the shim has not been built");
        return UcpLibrary.load(binding, Map.of());
    }

    private static UcpMemory allocate(final UcpContext context)
    {
        return context.memoryMap(new UcpMemMapParams().setLength(LENGTH).allocate()
            .setMemoryType(UcsConstants.MEMORY_TYPE.UCS_MEMORY_TYPE_HOST));
    }

    long nearAddress(final long offset)
    {
        return nearMemory.getAddress() + offset;
    }

    long farAddress(final long offset)
    {
        return farMemory.getAddress() + offset;
    }

    int put(final long src, final int length, final long dst)
    {
        return calls.put(endpoint, nearAddress(src), length, farAddress(dst), remoteKey, memoryHandle,
            UcpCalls.MEMORY_TYPE_HOST);
    }

    int add(final long delta, final long dst)
    {
        return calls.atomicAdd(endpoint, delta, farAddress(dst), remoteKey);
    }

    /** Both ends move: software transports need the far one too. */
    void progress()
    {
        calls.progress(worker);
        calls.progress(farWorker.getNativeId());
    }

    void flush()
    {
        final int status = awaitFlush();
        assertEquals(UcpCalls.OK, status, calls.statusText(status));
    }

    /** Status of a flush once it is done, or still in progress at the deadline. */
    int awaitFlush()
    {
        final long request = calls.flush(endpoint);
        if (request <= 0)
        {
            return (int)request;
        }

        final long deadlineNs = System.nanoTime() + DEADLINE_NS;
        int status = calls.requestStatus(request);
        while (UcpCalls.IN_PROGRESS == status && System.nanoTime() - deadlineNs < 0)
        {
            progress();
            status = calls.requestStatus(request);
        }

        calls.requestFree(request);
        return status;
    }

    @Override
    public void close()
    {
        jucxKey.close();
        final UcpRequest closing = jucxEndpoint.closeNonBlockingFlush();
        final long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (!closing.isCompleted() && System.nanoTime() - deadlineNs < 0)
        {
            progress();
        }

        assertTrue(closing.isCompleted(), "endpoint closed");
        nearMemory.deregister();
        farMemory.deregister();
        nearWorker.close();
        farWorker.close();
        context.close();
    }
}
