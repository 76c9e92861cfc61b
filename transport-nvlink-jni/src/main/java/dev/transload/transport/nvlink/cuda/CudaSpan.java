/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.ArrayList;
import java.util.List;

/**
 * Memory of a device, allocated by any code, and what it is part of: one allocation, or pieces of physical memory that
 * were mapped side by side.
 *
 * @param device   that has it.
 * @param address  of the first byte.
 * @param base     of the allocation or the first piece, at most the address.
 * @param lengths  of the allocation, or of the pieces in the order of their addresses, in bytes.
 * @param isMapped whether it was mapped, by the driver's virtual memory management.
 */
public record CudaSpan(CudaDevice device, long address, long base, List<Long> lengths, boolean isMapped)
{
    /** Keeps a copy of the list. */
    public CudaSpan
    {
        lengths = List.copyOf(lengths);
    }

    /**
     * Find out what some memory is part of.
     *
     * @param device  that has it.
     * @param address of the first byte.
     * @param length  in bytes, positive.
     * @return the span.
     * @throws IllegalArgumentException when it is no memory of the device, or ends earlier.
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
     * Where the memory is in what it is part of.
     *
     * @return bytes from the base.
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
