/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Where a device addresses regions. Host memory that it does not address yet is registered when its region is used for
 * the first time, and stays so until the kernels close. Memory of another device is within reach where the transport
 * that gave the region, a peer's window, made it so.
 */
final class RegionAddresses
{
    private final CudaDevice device;
    private final Map<MemoryRegion, Long> registered = new IdentityHashMap<>();

    RegionAddresses(final CudaDevice device)
    {
        this.device = device;
    }

    /**
     * Address of a region's first byte.
     *
     * @param name   of the argument.
     * @param region CUDA or HOST.
     * @return address.
     */
    long of(final String name, final MemoryRegion region)
    {
        if (null == region)
        {
            throw new IllegalArgumentException(name + " is null: must be a CUDA or HOST region");
        }

        if (MemoryKind.CUDA.equals(region.kind()))
        {
            if (device.ordinal() != region.device())
            {
                checkPeer(name, region.device());
            }

            return region.address();
        }

        if (!region.kind().isHost())
        {
            throw new IllegalArgumentException(
                name + " is of kind " + region.kind() + ": CUDA row kernels work on CUDA and HOST regions");
        }

        if (!registered.containsKey(region))
        {
            register(name, region);
        }

        return region.address();
    }

    /** Nothing is under way any more. */
    void close()
    {
        registered.forEach((region, length) ->
        {
            if (0 != length)
            {
                device.driver().registrations().release(device, region.address(), length);
            }
        });
        registered.clear();
    }

    private void checkPeer(final String name, final int ordinal)
    {
        if (ordinal < 0 || ordinal >= device.driver().deviceCount() ||
            !device.reaches(device.driver().device(ordinal)))
        {
            throw new IllegalArgumentException(name + " is memory of device " + ordinal + ", which " +
                device.describe() + " cannot access");
        }
    }

    private void register(final String name, final MemoryRegion region)
    {
        final boolean isPinned = 0 == region.length() || PinnedMemory.holds(region.address(), region.length());
        final String obstacle = isPinned ? null :
            device.driver().registrations().acquire(device, region.address(), region.length());
        if (null != obstacle)
        {
            throw new IllegalArgumentException(name + " is host memory that " + device.describe() +
                " cannot address (" + obstacle + "): allocate it by the transport nvlink, or as whole pages");
        }

        registered.put(region, isPinned ? 0 : region.length());
    }
}
