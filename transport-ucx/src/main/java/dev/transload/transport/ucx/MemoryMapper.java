/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Access;
import dev.transload.transport.base.ProcessIdentity;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.nio.ByteBuffer;
import org.agrona.UnsafeApi;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpWorker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds where memory of this host lies in this process, for as long as an import wants, not a channel. UCX tells by a
 * key, and unpacks keys for an endpoint alone. One to this process itself does: no operation goes over it. Since keys
 * name the ways to their memory by numbers, that holds where the owner has set up UCX alike.
 */
final class MemoryMapper
{
    private static final Logger LOG = LoggerFactory.getLogger(MemoryMapper.class);
    private static final int MAX_OPERATIONS = 1;
    private static final int PAGE_LENGTH = 4096;
    private static final long SAMPLE = 0x5741_4C4C_5041_5045L;

    private final UcpCalls calls;
    private final Endpoint endpoint;

    /** Memory as it was found; closed when nobody looks at it any more. */
    record Mapping(UcpRemoteKey key, long pointer) implements AutoCloseable
    {
        @Override
        public void close()
        {
            key.close();
        }
    }

    /**
     * On a worker.
     *
     * @param endpoints maker of endpoints.
     * @param worker    that its keys belong to.
     * @param target    address of a worker of this process, in direct memory.
     * @param progress  drives the worker.
     */
    MemoryMapper(
        final EndpointFactory endpoints,
        final UcpWorker worker,
        final ByteBuffer target,
        final Endpoint.Progress progress)
    {
        this.calls = endpoints.calls();
        this.endpoint = new Endpoint(calls, endpoints.connectWithin(worker, target,
            (status, text) -> LOG.error("transport ucx: memory of peers cannot be mapped: {}", text)),
            endpoints.handlesErrorsWithin(), MAX_OPERATIONS, progress);
    }

    /**
     * Find memory.
     *
     * @param key of it.
     * @return where it is, or null where UCX does not map it.
     */
    Mapping map(final MemoryKey key)
    {
        try
        {
            final UcpRemoteKey unpacked = endpoint.unpack(key);
            final long pointer = calls.remotePointer(unpacked.getNativeId(), key.address());
            if (pointer > 0)
            {
                return new Mapping(unpacked, pointer);
            }

            unpacked.close();
            LOG.debug("memory has no pointer: {}", calls.statusText((int)pointer));
        }
        catch (final UcxException ex)
        {
            LOG.debug("memory cannot be mapped", ex);
        }

        return null;
    }

    /** All mappings have been closed. */
    void close()
    {
        endpoint.close(true);
    }

    /** Whether memory of peers can be mapped with these settings: memory of this process can. */
    static boolean isPossible(final UcxContext context, final UcxOptions options)
    {
        if (!options.direct() || !context.selection().hasSharedMemory() || UcxContext.UNKNOWN == context.setup())
        {
            return false;
        }

        final UcpWorker worker = context.newSharedWorker();
        try
        {
            final MemoryMapper mapper = new MemoryMapper(
                new EndpointFactory(context.calls(), options, context.selection(), ProcessIdentity.local()), worker,
                worker.getAddress(), () -> context.calls().progress(worker.getNativeId()));
            final UcxMemory memory = context.allocate(PAGE_LENGTH, Access.REMOTE);
            try (Mapping mapping = mapper.map(memory.memoryKey()))
            {
                UnsafeApi.putLongVolatile(null, memory.address(), SAMPLE);
                return null != mapping && SAMPLE == UnsafeApi.getLongVolatile(null, mapping.pointer());
            }
            finally
            {
                memory.free();
                mapper.close();
            }
        }
        finally
        {
            worker.close();
        }
    }
}
