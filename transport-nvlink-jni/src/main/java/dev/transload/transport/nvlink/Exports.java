/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaException;
import dev.transload.transport.nvlink.cuda.CudaSpan;
import dev.transload.transport.nvlink.cuda.MappedExport;
import dev.transload.transport.nvlink.internal.files.FileServer;
import dev.transload.transport.nvlink.internal.files.OpenFile;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Device memory of the caller that peers may reach, however it was allocated: by handle, or by files that the
 * transport's thread gives out as long as the region is open.
 */
final class Exports
{
    private final CudaDevice device;
    private final Path socket;
    private final Int2ObjectHashMap<MappedExport> mapped = new Int2ObjectHashMap<>();
    private FileServer server;

    Exports(final CudaDevice device, final Path socket)
    {
        this.device = device;
        this.socket = socket;
    }

    /**
     * Make memory reachable until it is freed.
     *
     * @param id   by which peers know the region.
     * @param span of the memory.
     * @return memory.
     * @throws TransportUnavailableException in one sentence, when the driver cannot export it.
     */
    NvlinkMemory export(final int id, final CudaSpan span)
    {
        try
        {
            return span.isMapped() ? exportMapped(id, span) : exportAllocation(span);
        }
        catch (final CudaException ex)
        {
            throw new TransportUnavailableException("transport nvlink: peers cannot reach the memory at " +
                span.address() + " of " + device.describe() + " (" + ex.getMessage() + "): it was " + (span.isMapped() ?
                "created without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, or came from another process" :
                "opened from another process by somebody else, or comes from a pool") +
                "; allocate it by cuMemAlloc, or register it LOCAL", ex);
        }
    }

    /** On the transport's thread: give out the files that peers have asked for. */
    synchronized int serve()
    {
        return null == server ? 0 : server.poll();
    }

    /** When that thread has ended, and all regions are closed. */
    synchronized void close()
    {
        if (null != server)
        {
            server.close();
            server = null;
        }
    }

    private NvlinkMemory exportAllocation(final CudaSpan span)
    {
        final ByteBuffer imported = device.ipc().handleOf(span.base());
        if (null == imported)
        {
            return NvlinkMemory.ofDevice(span.address(), MemoryKey.ofHandle(device.uuid(), span.address(),
                span.offset(), device.ipc().export(span.base())).encode(), () -> {});
        }

        // Another process allocated it, whose handle peers open for themselves; it stays open here as long.
        device.ipc().open(imported);
        return NvlinkMemory.ofDevice(span.address(),
            MemoryKey.ofHandle(device.uuid(), 0, span.offset(), imported).encode(),
            () -> device.ipc().close(imported));
    }

    private synchronized NvlinkMemory exportMapped(final int id, final CudaSpan span)
    {
        if (null == server)
        {
            server = FileServer.listen(socket, this::openFile);
        }

        final MappedExport export = MappedExport.of(span);
        boolean isDone = false;
        try
        {
            // Whether it was made for that is known by doing it.
            for (int i = 0; i < export.size(); i++)
            {
                new OpenFile(export.openFile(i), export.length(i)).close();
            }

            mapped.put(id, export);
            isDone = true;
        }
        finally
        {
            if (!isDone)
            {
                export.close();
            }
        }

        return NvlinkMemory.ofDevice(span.address(),
            MemoryKey.ofFiles(device.uuid(), span.offset(), export.size()).encode(), () -> forget(id));
    }

    private synchronized void forget(final int id)
    {
        mapped.remove(id).close();
    }

    private OpenFile openFile(final int id, final int index)
    {
        final MappedExport export = mapped.get(id);
        return null == export || index < 0 || index >= export.size() ? null :
            new OpenFile(export.openFile(index), export.length(index));
    }
}
