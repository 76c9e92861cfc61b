/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import org.agrona.UnsafeApi;

/**
 * Regions of operations that have more of them than fit into a kernel's arguments, in page-locked memory. There is one
 * table: other regions wait until no launch reads it, the same ones need not.
 */
final class RegionTable
{
    private static final int MIN_WORDS = 256;

    private final CudaStream stream;
    private PinnedMemory memory;
    private int words;
    private long lastUse;

    RegionTable(final CudaStream stream)
    {
        this.stream = stream;
    }

    /**
     * The table of regions, for the next launch.
     *
     * @param regions words of each, as the kernel reads them.
     * @param count   of words.
     * @return address, 0 while launches still read other regions.
     */
    long of(final long[] regions, final int count)
    {
        if (count != words || !isSame(regions))
        {
            // The launch that was to use it may have been refused.
            if (stream.completed() < Math.min(lastUse, stream.submitted()))
            {
                return 0;
            }

            write(regions, count);
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

    private boolean isSame(final long[] regions)
    {
        for (int i = 0; i < words; i++)
        {
            if (UnsafeApi.getLong(memory.address() + (long)i * Long.BYTES) != regions[i])
            {
                return false;
            }
        }

        return true;
    }

    private void write(final long[] regions, final int count)
    {
        final long length = (long)Math.max(MIN_WORDS, count) * Long.BYTES;
        if (null == memory || memory.length() < length)
        {
            close();
            words = 0;
            memory = stream.device().allocatePinned(length);
        }

        words = count;
        for (int i = 0; i < count; i++)
        {
            UnsafeApi.putLong(memory.address() + (long)i * Long.BYTES, regions[i]);
        }
    }
}
