/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.agrona.BufferUtil;

/**
 * Allocations that processes share: exported by a handle, and opened once a device however many import them. A process
 * cannot open what it exported itself.
 */
public final class CudaIpc
{
    /** Bytes of a handle. */
    public static final int HANDLE_LENGTH = 64;

    private final CudaDevice device;
    private final Map<ByteBuffer, Opened> byHandle = new HashMap<>();

    private static final class Opened
    {
        private final long address;
        private int users;

        Opened(final long address)
        {
            this.address = address;
        }
    }

    CudaIpc(final CudaDevice device)
    {
        this.device = device;
    }

    /**
     * Export an allocation.
     *
     * @param address of its first byte.
     * @return handle of {@link #HANDLE_LENGTH} bytes, read-only.
     */
    public ByteBuffer export(final long address)
    {
        final ByteBuffer handle = ByteBuffer.allocateDirect(HANDLE_LENGTH);
        device.check("cuIpcGetMemHandle",
            CudaCalls.ipcGet(device.context(), address, BufferUtil.address(handle)));
        return handle.asReadOnlyBuffer();
    }

    /**
     * Open an allocation of another process, or use it once more; this device addresses it then.
     *
     * @param handle of it, from position to limit.
     * @return address of the allocation's first byte in this process.
     */
    public synchronized long open(final ByteBuffer handle)
    {
        final Opened known = byHandle.get(handle);
        if (null != known)
        {
            known.users++;
            return known.address;
        }

        final ByteBuffer copy = ByteBuffer.allocateDirect(HANDLE_LENGTH).put(handle.duplicate()).flip();
        final Opened opened = new Opened(device.value("cuIpcOpenMemHandle", CudaCalls.ipcOpen(
            device.context(), BufferUtil.address(copy), CudaCalls.IPC_LAZY_ENABLE_PEER_ACCESS)));
        opened.users = 1;
        byHandle.put(copy, opened);
        return opened.address;
    }

    /**
     * The handle by which an allocation was opened here.
     *
     * @param address of the allocation's first byte in this process.
     * @return handle, or null where it is no import of {@link #open}.
     */
    public synchronized ByteBuffer handleOf(final long address)
    {
        for (final Map.Entry<ByteBuffer, Opened> each : byHandle.entrySet())
        {
            if (each.getValue().address == address)
            {
                return each.getKey().asReadOnlyBuffer();
            }
        }

        return null;
    }

    /** End one use; the last one closes the allocation here. */
    public synchronized void close(final ByteBuffer handle)
    {
        final Opened known = byHandle.get(handle);
        if (null != known && 0 == --known.users)
        {
            byHandle.remove(handle);
            if (!device.isGivenUp())
            {
                device.check("cuIpcCloseMemHandle", CudaCalls.ipcClose(device.context(), known.address));
            }
        }
    }
}
