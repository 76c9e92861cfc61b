/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.TransportException;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.BufferUtil;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpWorker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a word of the own device by an endpoint to this process. Where that goes through the card that peers' writes
 * came by, the read comes behind them on the bus: once its bytes are here, the device sees the writes. On the worker's
 * thread alone.
 */
final class ReadBack
{
    private static final Logger LOG = LoggerFactory.getLogger(ReadBack.class);
    private static final int MAX_OPERATIONS = 1;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

    private final UcpCalls calls;
    private final Endpoint endpoint;
    private final Endpoint.Progress progress;
    private final UcpRemoteKey key;
    private final long keyHandle;
    private final long word;
    private final ByteBuffer read = BufferUtil.allocateDirectAligned(Long.BYTES, Long.BYTES);
    private final long readAddress = BufferUtil.address(read);
    private final BooleanSupplier isRead = this::isRead;
    private long request;

    /**
     * On a worker.
     *
     * @param endpoints maker of endpoints.
     * @param worker    that reads.
     * @param target    address of the worker of this process to which peers' operations go, in direct memory.
     * @param word      memory of the device that is as long as the transport.
     * @param progress  drives both workers.
     */
    ReadBack(
        final EndpointFactory endpoints,
        final UcpWorker worker,
        final ByteBuffer target,
        final MemoryKey word,
        final Endpoint.Progress progress)
    {
        this.calls = endpoints.calls();
        this.progress = progress;
        this.word = word.address();
        this.endpoint = new Endpoint(calls, endpoints.connectWithin(worker, target,
            (status, text) -> LOG.error("transport ucx: nothing can be read through the card: {}", text)),
            endpoints.handlesErrorsWithin(), MAX_OPERATIONS, progress);
        this.key = endpoint.unpack(word);
        this.keyHandle = key.getNativeId();
    }

    /**
     * Read; what peers wrote before is visible to the device when this returns.
     *
     * @throws TransportException if UCX refuses, or does not answer within a second.
     */
    void run()
    {
        final int status =
            calls.get(endpoint.handle(), readAddress, Long.BYTES, word, keyHandle, 0, UcpCalls.MEMORY_TYPE_HOST);
        check(status);
        request = calls.flush(endpoint.handle());
        if (request > 0)
        {
            final boolean isDone = Endpoint.drive(progress, isRead, TIMEOUT_NS);
            final int end = isDone ? calls.requestStatus(request) : UcpCalls.IN_PROGRESS;
            calls.requestFree(request);
            check(end);
        }
        else
        {
            check((int)request);
        }
    }

    void close()
    {
        key.close();
        endpoint.close(true);
    }

    private boolean isRead()
    {
        return UcpCalls.IN_PROGRESS != calls.requestStatus(request);
    }

    private void check(final int status)
    {
        if (UcpCalls.OK != status)
        {
            throw new TransportException("transport ucx: what peers wrote to the device may not be visible there, " +
                "since a read through the card " + (status > 0 ? "has not come back within " +
                TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NS) + " s" : "failed: " + calls.statusText(status)), status,
                null);
        }
    }
}
