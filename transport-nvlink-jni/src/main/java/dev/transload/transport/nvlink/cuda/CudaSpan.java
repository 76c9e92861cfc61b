/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.ArrayList;
import java.util.List;

/**
 * Range of device memory and the allocation that contains it. Any code of the process may have made the allocation. The
 * range lies in one allocation or in pieces of physical memory that are mapped side by side.
 *
 * @param device   device that has the memory.
 * @param address  address of the first byte.
 * @param base     address of the first byte of the allocation or of the first piece; not greater than {@code address}.
 * @param lengths  length of the allocation in bytes, or the length of each piece in ascending order of addresses.
 * @param isMapped true if the driver's virtual memory management mapped the memory.
 */
public record CudaSpan(CudaDevice device, long address, long base, List<Long> lengths, boolean isMapped)
{
    /** Creates a span with a copy of the list. */
    public CudaSpan
    {
        lengths = List.copyOf(lengths);
    }

    /**
     * Finds the allocation or the pieces that contain a range of memory.
     *
     * @param device  device that has the memory.
     * @param address address of the first byte.
     * @param length  length in bytes, at least 1.
     * @return span of the range.
     * @throws IllegalArgumentException if the range is not memory of the device, or if it extends beyond the allocation
     *                                  or the pieces.
     */
    public static CudaSpan of(final CudaDevice device, final long address, final long length)
    {
        if (!isOf(device, address))
        {
            throw new IllegalArgumentException("address=" + address + ": that is no memory of " + device.describe());
        }

        final long base = device.rangeBase(address);
        final boolean isMapped = isMapped(device, address);
        final List<Long> lengths = new ArrayList<>(List.of(device.rangeLength(address)));
        long end = base + lengths.get(0);
        while (length > end - address && isMapped && isOf(device, end) && isMapped(device, end))
        {
            lengths.add(device.rangeLength(end));
            end += lengths.get(lengths.size() - 1);
        }

        if (length > end - address)
        {
            throw new IllegalArgumentException("length=" + length + ": the allocation has " + (end - address) +
                " bytes from this address on");
        }

        return new CudaSpan(device, address, base, lengths, isMapped);
    }

    /**
     * Returns the offset of the range from the base.
     *
     * @return offset in bytes.
     */
    public long offset()
    {
        return address - base;
    }

    private static boolean isOf(final CudaDevice device, final long address)
    {
        return CudaDevice.MEMORY_TYPE_DEVICE == device.pointerAttribute(CudaDevice.MEMORY_TYPE, address) &&
            device.ordinal() == device.pointerAttribute(CudaDevice.DEVICE_ORDINAL, address);
    }

    private static boolean isMapped(final CudaDevice device, final long address)
    {
        final long handle = CudaCalls.memRetain(device.context(), address);
        if (handle >= 0)
        {
            device.check("cuMemRelease", CudaCalls.memRelease(device.context(), handle));
        }

        return handle >= 0;
    }
}
