/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.RuntimeDevice;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;

/**
 * Calls into UCX by threads that may have another device current, or none: UCX copies by the device that it finds
 * there. Any thread may drive a worker; all of its calls pass here.
 */
final class DeviceCalls implements UcpCalls
{
    private final UcpCalls calls;
    private final RuntimeDevice device;

    DeviceCalls(final UcpCalls calls, final RuntimeDevice device)
    {
        this.calls = calls;
        this.device = device;
    }

    @Override
    public void bind()
    {
        device.bind();
    }

    @Override
    public String name()
    {
        return calls.name();
    }

    @Override
    public boolean hasNativeRows()
    {
        return calls.hasNativeRows();
    }

    @Override
    public int version()
    {
        return calls.version();
    }

    @Override
    public String statusText(final int status)
    {
        return calls.statusText(status);
    }

    @Override
    public int put(
        final long endpoint,
        final long src,
        final long length,
        final long dst,
        final long remoteKey,
        final long memoryHandle,
        final int memoryType)
    {
        device.bind();
        return calls.put(endpoint, src, length, dst, remoteKey, memoryHandle, memoryType);
    }

    @Override
    public int putRows(
        final long endpoint,
        final long srcBase,
        final long dstBase,
        final long rows,
        final int from,
        final int count,
        final long rowLength,
        final long remoteKey,
        final long memoryHandle,
        final int memoryType)
    {
        device.bind();
        return calls.putRows(
            endpoint, srcBase, dstBase, rows, from, count, rowLength, remoteKey, memoryHandle, memoryType);
    }

    @Override
    public int get(
        final long endpoint,
        final long dst,
        final long length,
        final long src,
        final long remoteKey,
        final long memoryHandle,
        final int memoryType)
    {
        device.bind();
        return calls.get(endpoint, dst, length, src, remoteKey, memoryHandle, memoryType);
    }

    @Override
    public int atomicAdd(final long endpoint, final long delta, final long dst, final long remoteKey)
    {
        device.bind();
        return calls.atomicAdd(endpoint, delta, dst, remoteKey);
    }

    @Override
    public int progress(final long worker)
    {
        device.bind();
        return calls.progress(worker);
    }

    @Override
    public long flush(final long endpoint)
    {
        device.bind();
        return calls.flush(endpoint);
    }

    @Override
    public long closeEndpoint(final long endpoint, final boolean isForced)
    {
        device.bind();
        return calls.closeEndpoint(endpoint, isForced);
    }

    @Override
    public int requestStatus(final long request)
    {
        return calls.requestStatus(request);
    }

    @Override
    public void requestFree(final long request)
    {
        calls.requestFree(request);
    }

    @Override
    public long remotePointer(final long remoteKey, final long address)
    {
        return calls.remotePointer(remoteKey, address);
    }
}
