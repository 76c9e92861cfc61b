/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.List;

/** Pieces of physical memory that other processes may have files of; it keeps them, even if they are unmapped here. */
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
     * Keep the pieces of mapped memory.
     *
     * @param span which is mapped.
     * @return export of all pieces.
     * @throws CudaException when the memory was not made to be exported as files.
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
     * Length of a piece.
     *
     * @param index of the piece.
     * @return bytes.
     */
    public long length(final int index)
    {
        return lengths.get(index);
    }

    /**
     * Open a file of a piece.
     *
     * @param index of the piece.
     * @return descriptor, which is the caller's to close.
     * @throws CudaException when the memory was not made to be exported as files.
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
