/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.HostRegistrations;
import dev.transload.transport.nvlink.cuda.PinnedMemory;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where a device addresses regions. Host memory that it does not address yet is registered when its region is used for
 * the first time, and stays so until the kernels close. Memory of another device is within reach where the transport
 * that gave the region, a peer's window, made it so.
 */
final class RegionAddresses
{
    private final CudaDevice device;
    private final Map<MemoryRegion, Optional<HostRegistrations.Use>> known = new IdentityHashMap<>();

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

        if (!known.containsKey(region))
        {
            known.put(region, register(name, region));
        }

        return region.address();
    }

    /** Whether a region is memory of this device. */
    boolean isOfDevice(final MemoryRegion region)
    {
        return MemoryKind.CUDA.equals(region.kind()) && device.ordinal() == region.device();
    }

    /** Nothing is under way any more. */
    void close()
    {
        known.values().forEach((use) -> use.ifPresent(HostRegistrations.Use::close));
        known.clear();
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

    /** Pinned memory, and none at all, needs no registration. */
    private Optional<HostRegistrations.Use> register(final String name, final MemoryRegion region)
    {
        if (0 == region.length() || PinnedMemory.holds(region.address(), region.length()))
        {
            return Optional.empty();
        }

        final HostRegistrations.Use use =
            device.driver().registrations().acquire(device, region.address(), region.length());
        if (null != use.obstacle())
        {
            throw new IllegalArgumentException(name + " is host memory that " + device.describe() +
                " cannot address (" + use.obstacle() + "): allocate it by the transport nvlink, or as whole pages");
        }

        return Optional.of(use);
    }
}
