/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.transport.hccs.internal.acl.AclDevice;

/** Which regions the kernels of a device work on: its own, host memory, and what other devices let it reach. */
final class KernelMemory
{
    private final AclDevice device;
    private final boolean[] areReached;

    KernelMemory(final AclDevice device)
    {
        this.device = device;
        this.areReached = new boolean[device.library().deviceCount()];
    }

    /** Whether only a device may look into a region; false for none. */
    static boolean isDevice(final MemoryRegion region)
    {
        return null != region && !region.kind().isHost();
    }

    /**
     * Refuses a region that cannot be worked on.
     *
     * @param name   of the argument.
     * @param region ASCEND or HOST.
     * @throws IllegalArgumentException naming the argument.
     */
    void check(final String name, final MemoryRegion region)
    {
        if (null == region)
        {
            throw new IllegalArgumentException(name + " is null: must be an ASCEND or HOST region");
        }

        if (!isDevice(region))
        {
            return;
        }

        if (!MemoryKind.ASCEND.equals(region.kind()))
        {
            throw new IllegalArgumentException(
                name + " is of kind " + region.kind() + ": ASCEND row kernels work on ASCEND and HOST regions");
        }

        final int ordinal = region.device();
        if (device.ordinal() != ordinal)
        {
            checkPeer(name, ordinal);
        }
    }

    private void checkPeer(final String name, final int ordinal)
    {
        if (ordinal < 0 || ordinal >= areReached.length ||
            !areReached[ordinal] && !device.canReach(device.library().device(ordinal)))
        {
            throw new IllegalArgumentException(
                name + " is memory of device " + ordinal + ", which " + device.describe() + " cannot access");
        }

        areReached[ordinal] = true;
    }
}
