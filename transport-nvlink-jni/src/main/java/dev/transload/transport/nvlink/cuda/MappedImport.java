/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.ArrayList;
import java.util.List;

/** Pieces of physical memory that were received as files and are mapped side by side for a device. */
public final class MappedImport implements AutoCloseable
{
    private final CudaDevice device;
    private final List<Long> lengths = new ArrayList<>();
    private final List<Long> handles = new ArrayList<>();
    private long reserved;
    private long total;
    private long mapped;

    public MappedImport(final CudaDevice device)
    {
        this.device = device;
    }

    /**
     * Adds the next piece.
     *
     * @param file   open file descriptor; the caller still has to close it.
     * @param length length of the piece in bytes.
     */
    public void add(final int file, final long length)
    {
        handles.add(device.value("cuMemImportFromShareableHandle", CudaCalls.memImport(device.context(), file)));
        lengths.add(length);
        total += length;
    }

    /**
     * Maps all pieces. This method must be called exactly once, after all pieces were added.
     *
     * @return address of the first byte of the first piece.
     */
    public long map()
    {
        final long context = device.context();
        reserved = device.value("cuMemAddressReserve", CudaCalls.reserve(context, total));
        for (int i = 0; i < lengths.size(); i++)
        {
            device.check("cuMemMap", CudaCalls.map(context, reserved + mapped, lengths.get(i), handles.get(i)));
            mapped += lengths.get(i);
        }

        // The mappings keep the memory.
        releaseHandles();
        device.check("cuMemSetAccess", CudaCalls.allow(context, reserved, total, device.handle()));
        return reserved;
    }

    /** Unmaps the memory. The caller must make sure that no work still uses the memory. */
    @Override
    public void close()
    {
        if (device.isGivenUp())
        {
            return;
        }

        releaseHandles();
        if (0 != mapped)
        {
            device.check("cuMemUnmap", CudaCalls.unmap(device.context(), reserved, mapped));
            mapped = 0;
        }

        if (0 != reserved)
        {
            device.check("cuMemAddressFree", CudaCalls.unreserve(device.context(), reserved, total));
            reserved = 0;
        }
    }

    private void releaseHandles()
    {
        for (final long handle : handles)
        {
            device.check("cuMemRelease", CudaCalls.memRelease(device.context(), handle));
        }

        handles.clear();
    }
}
