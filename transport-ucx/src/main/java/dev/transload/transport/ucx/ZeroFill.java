/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.TransportException;
import dev.transload.transport.base.PeerIdentity;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpWorker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Allocates memory that this process cannot write to, and has UCX put zeros there: over an endpoint of this rank to
 * itself, on a worker of its own, since any thread may allocate.
 */
final class ZeroFill
{
    private static final Logger LOG = LoggerFactory.getLogger(ZeroFill.class);
    private static final int BLOCK_LENGTH = 1 << 20;
    private static final int MAX_OPERATIONS = 1;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private final UcxContext context;
    private final EndpointFactory endpoints;
    private final PeerIdentity own;
    private final TargetWorker target;

    ZeroFill(
        final UcxContext context, final EndpointFactory endpoints, final PeerIdentity own, final TargetWorker target)
    {
        this.context = context;
        this.endpoints = endpoints;
        this.own = own;
        this.target = target;
    }

    UcxMemory allocate(final long length, final int type)
    {
        final UcxMemory memory = context.allocateUnset(length, type);
        try
        {
            fill(memory, length);
            return memory;
        }
        catch (final RuntimeException ex)
        {
            memory.free();
            throw ex;
        }
    }

    /** Put zeros everywhere, and wait until they are there. */
    void fill(final UcxMemory memory, final long length)
    {
        final UcpWorker worker = context.newSharedWorker();
        try
        {
            // A broken endpoint shows in the flush; nothing may be thrown through UCX.
            final UcpEndpoint ucp = endpoints.connect(worker, own, MemoryKey.direct(target.address()),
                (status, text) -> LOG.error("transport ucx: new memory cannot be zeroed: {}", text));
            final Endpoint endpoint = new Endpoint(context.calls(), ucp, endpoints.handlesErrors(own), MAX_OPERATIONS,
                () -> drive(worker));
            try (UcpRemoteKey key = endpoint.unpack(memory.memoryKey()))
            {
                put(endpoint, key, memory, length, worker);
            }

            endpoint.close(true);
        }
        finally
        {
            worker.close();
        }
    }

    private void put(
        final Endpoint endpoint,
        final UcpRemoteKey key,
        final UcxMemory memory,
        final long length,
        final UcpWorker worker)
    {
        final ByteBuffer zeros = ByteBuffer.allocateDirect((int)Math.min(length, BLOCK_LENGTH));
        long position = 0;
        for (long offset = 0; offset < length; offset += zeros.capacity())
        {
            final long block = Math.min(zeros.capacity(), length - offset);
            check(context.calls().put(endpoint.handle(), BufferUtil.address(zeros), block, memory.address() + offset,
                key.getNativeId(), 0, UcxMemory.HOST), "put");
            check(endpoint.onSubmitted(++position, 1), "flush");
            await(endpoint, position, worker);
        }
    }

    private void await(final Endpoint endpoint, final long position, final UcpWorker worker)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!endpoint.isSettled())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new TransportException("transport ucx: zeros were not put into new memory within " +
                    TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NS) + " s", TransportException.NO_STATUS, null);
            }

            drive(worker);
            check(endpoint.progress(position), "flush");
        }
    }

    private void drive(final UcpWorker worker)
    {
        context.calls().progress(worker.getNativeId());
        target.progress();
    }

    private void check(final int status, final String what)
    {
        if (status < 0)
        {
            throw new TransportException("transport ucx: new memory cannot be zeroed: " +
                endpoints.words(what, status), status, null);
        }
    }
}
