/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.Arrays;
import org.agrona.UnsafeApi;

/** Page-locked host memory. The CPU and all devices use the same address. */
public final class PinnedMemory implements AutoCloseable
{
    /** First bytes of all allocations, ascending, then their ends; replaced as a whole, so that looks take no lock. */
    private static volatile long[] ranges = new long[0];

    private final CudaDevice device;
    private final long address;
    private final long length;
    private boolean isOpen = true;

    private PinnedMemory(final CudaDevice device, final long address, final long length)
    {
        this.device = device;
        this.address = address;
        this.length = length;
    }

    static PinnedMemory allocate(final CudaDevice device, final long length)
    {
        final long address = device.value("cuMemHostAlloc",
            CudaCalls.hostAlloc(device.context(), length, CudaCalls.HOST_PORTABLE_MAPPED));
        UnsafeApi.setMemory(address, length, (byte)0);
        add(address, address + length);
        return new PinnedMemory(device, address, length);
    }

    /**
     * Returns whether a range of memory was allocated by this class. If so, devices may read the range.
     *
     * @param address address of the first byte.
     * @param length  length in bytes.
     * @return true if the whole range is in one allocation of this process.
     */
    public static boolean holds(final long address, final long length)
    {
        final long[] all = ranges;
        final int count = all.length / 2;
        final int found = Arrays.binarySearch(all, 0, count, address);
        final int before = found >= 0 ? found : -found - 2;
        return before >= 0 && address + length <= all[count + before];
    }

    /**
     * Returns the address of the memory.
     *
     * @return address of the first byte.
     */
    public long address()
    {
        return address;
    }

    /**
     * Returns the length of the memory.
     *
     * @return length in bytes.
     */
    public long length()
    {
        return length;
    }

    @Override
    public synchronized void close()
    {
        if (isOpen)
        {
            isOpen = false;
            remove(address);
            if (!device.isGivenUp())
            {
                device.check("cuMemFreeHost", CudaCalls.hostFree(device.context(), address));
            }
        }
    }

    private static synchronized void add(final long first, final long end)
    {
        final int count = ranges.length / 2;
        final int at = -Arrays.binarySearch(ranges, 0, count, first) - 1;
        final long[] all = new long[ranges.length + 2];
        System.arraycopy(ranges, 0, all, 0, at);
        all[at] = first;
        System.arraycopy(ranges, at, all, at + 1, count);
        all[count + 1 + at] = end;
        System.arraycopy(ranges, count + at, all, count + 2 + at, count - at);
        ranges = all;
    }

    private static synchronized void remove(final long first)
    {
        final int count = ranges.length / 2;
        final int at = Arrays.binarySearch(ranges, 0, count, first);
        final long[] all = new long[ranges.length - 2];
        System.arraycopy(ranges, 0, all, 0, at);
        System.arraycopy(ranges, at + 1, all, at, count - 1);
        System.arraycopy(ranges, count + at + 1, all, count - 1 + at, count - at - 1);
        ranges = all;
    }
}
