/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.agrona.BufferUtil;

/**
 * Exports memory of a device to other processes, and opens theirs. An allocation is exported by a handle and opened
 * once per device, for any number of imports. A process cannot open its own exports.
 */
public final class CudaIpc
{
    /** Length of a handle in bytes. */
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
     * Exports an allocation.
     *
     * @param address address of the allocation's first byte.
     * @return read-only handle of {@link #HANDLE_LENGTH} bytes.
     */
    public ByteBuffer export(final long address)
    {
        final ByteBuffer handle = ByteBuffer.allocateDirect(HANDLE_LENGTH);
        device.check("cuIpcGetMemHandle",
            CudaCalls.ipcGet(device.context(), address, BufferUtil.address(handle)));
        return handle.asReadOnlyBuffer();
    }

    /**
     * Opens an allocation of another process. If the allocation is already open for this device, this method only
     * counts one more use. After this call, the device can access the allocation.
     *
     * @param handle buffer that holds the handle between its position and its limit.
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
     * Returns the handle with which an allocation was opened in this process.
     *
     * @param address address of the allocation's first byte in this process.
     * @return handle, or null if the allocation was not opened by {@link #open}.
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

    /** Ends one use of an allocation. When the last use ends, the allocation is closed in this process. */
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
