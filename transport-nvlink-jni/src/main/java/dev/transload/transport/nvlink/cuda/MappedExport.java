/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.List;

/**
 * Pieces of physical memory that other processes can open as files. The pieces stay allocated even if this process
 * unmaps them.
 */
public final class MappedExport implements AutoCloseable
{
    private final CudaDevice device;
    private final List<Long> lengths;
    private final long[] handles;

    private MappedExport(final CudaDevice device, final List<Long> lengths)
    {
        this.device = device;
        this.lengths = lengths;
        this.handles = new long[lengths.size()];
    }

    /**
     * Retains the pieces of mapped memory.
     *
     * @param span span of mapped memory.
     * @return export of all pieces.
     * @throws CudaException if the memory was not created for export as files.
     */
    public static MappedExport of(final CudaSpan span)
    {
        final MappedExport export = new MappedExport(span.device(), span.lengths());
        boolean isDone = false;
        try
        {
            long address = span.base();
            for (int i = 0; i < export.handles.length; i++)
            {
                export.handles[i] = span.device().value("cuMemRetainAllocationHandle",
                    CudaCalls.memRetain(span.device().context(), address));
                address += span.lengths().get(i);
            }

            isDone = true;
            return export;
        }
        finally
        {
            if (!isDone)
            {
                export.close();
            }
        }
    }

    public int size()
    {
        return handles.length;
    }

    /**
     * Returns the length of a piece.
     *
     * @param index index of the piece.
     * @return length in bytes.
     */
    public long length(final int index)
    {
        return lengths.get(index);
    }

    /**
     * Opens a file descriptor for a piece.
     *
     * @param index index of the piece.
     * @return file descriptor, which the caller must close.
     * @throws CudaException if the memory was not created for export as files.
     */
    public int openFile(final int index)
    {
        return (int)device.value("cuMemExportToShareableHandle",
            CudaCalls.memExport(device.context(), handles[index]));
    }

    @Override
    public void close()
    {
        for (int i = 0; i < handles.length; i++)
        {
            if (0 != handles[i] && !device.isGivenUp())
            {
                device.check("cuMemRelease", CudaCalls.memRelease(device.context(), handles[i]));
            }

            handles[i] = 0;
        }
    }
}
