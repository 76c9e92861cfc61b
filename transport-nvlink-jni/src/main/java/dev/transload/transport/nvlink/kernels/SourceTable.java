/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.kernels;

import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import org.agrona.UnsafeApi;

/**
 * Source regions of reductions that have more of them than fit into a kernel's arguments, in page-locked memory. There
 * is one table: other regions wait until no launch reads it, the same ones need not.
 */
final class SourceTable
{
    private static final int MIN_ENTRIES = 64;

    private final CudaStream stream;
    private PinnedMemory memory;
    private int entries;
    private long lastUse;

    SourceTable(final CudaStream stream)
    {
        this.stream = stream;
    }

    /**
     * The table of regions, for the next launch.
     *
     * @param addresses of the regions.
     * @param areF32    whether they hold F32.
     * @param count     of regions.
     * @return address, 0 while launches still read other regions.
     */
    long of(final long[] addresses, final boolean[] areF32, final int count)
    {
        if (count != entries || !isSame(addresses, areF32))
        {
            // The launch that was to use it may have been refused.
            if (stream.completed() < Math.min(lastUse, stream.submitted()))
            {
                return 0;
            }

            write(addresses, areF32, count);
        }

        lastUse = stream.submitted() + 1;
        return memory.address();
    }

    /** Nothing is under way any more. */
    void close()
    {
        if (null != memory)
        {
            memory.close();
        }
    }

    private boolean isSame(final long[] addresses, final boolean[] areF32)
    {
        for (int i = 0; i < entries; i++)
        {
            final long entry = memory.address() + (long)i * KernelArguments.TABLE_STRIDE;
            if (UnsafeApi.getLong(entry) != addresses[i] ||
                UnsafeApi.getLong(entry + Long.BYTES) != (areF32[i] ? 1 : 0))
            {
                return false;
            }
        }

        return true;
    }

    private void write(final long[] addresses, final boolean[] areF32, final int count)
    {
        final long length = (long)Math.max(MIN_ENTRIES, count) * KernelArguments.TABLE_STRIDE;
        if (null == memory || memory.length() < length)
        {
            close();
            final CudaDevice device = stream.device();
            entries = 0;
            memory = device.allocatePinned(length);
        }

        entries = count;
        for (int i = 0; i < count; i++)
        {
            final long entry = memory.address() + (long)i * KernelArguments.TABLE_STRIDE;
            UnsafeApi.putLong(entry, addresses[i]);
            UnsafeApi.putLong(entry + Long.BYTES, areF32[i] ? 1 : 0);
        }
    }
}
