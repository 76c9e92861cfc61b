/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.spi.MemoryRegion;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.CopyKind;
import dev.transload.transport.hccs.internal.acl.Leftovers;
import dev.transload.transport.hccs.internal.acl.PinnedMemory;

/**
 * Blocks through which rows pass between the device and the CPU, each of them twice: in memory of the device, where
 * rows are gathered and scattered, and in page-locked memory, so that a block crosses the bus as one copy each way.
 * Taken when they are needed first; larger than asked for only where one row, or the rows of one sum, need more.
 */
final class StagingSlots
{
    /** Blocks: one on its way down, one with the CPU, one on its way up, one that waits. */
    static final int COUNT = 4;

    private static final int ALIGNMENT = 64;

    private final DeviceWork work;
    private final AclDevice device;
    private final Leftovers leftovers;
    private long bytes;
    private PinnedMemory pinned;
    private MemoryRegion region;
    private long scratch;

    StagingSlots(final DeviceWork work, final long bytes)
    {
        this.work = work;
        this.device = work.device();
        this.leftovers = work.leftovers();
        this.bytes = bytes;
    }

    /** Bytes of a block. */
    long bytes()
    {
        return bytes;
    }

    /** Whether a block of that size can be had without waiting for those in use. */
    boolean holds(final long wanted)
    {
        return null != pinned && wanted <= bytes;
    }

    /** Make blocks of at least a size; none is in use. */
    void provide(final long wanted)
    {
        close();
        bytes = align(Math.max(bytes, wanted));
        pinned = device.allocatePinned(COUNT * bytes);
        region = new PinnedRegion(pinned);
        scratch = device.allocate(COUNT * bytes, false);
    }

    /** The blocks as the CPU sees them: block i begins at {@link #offset}. */
    MemoryRegion region()
    {
        return region;
    }

    long offset(final int slot)
    {
        return slot * bytes;
    }

    /** Where a block begins for the device. */
    long scratch(final int slot)
    {
        return scratch + slot * bytes;
    }

    /** Bring the first bytes of a block to the CPU. */
    void fetch(final int slot, final long length)
    {
        if (length > 0)
        {
            work.copy(CopyKind.DEVICE_TO_HOST, pinned.address() + offset(slot), scratch(slot), length);
        }
    }

    /** Bring some bytes of a block to the device. */
    void send(final int slot, final long from, final long length)
    {
        if (length > 0)
        {
            work.copy(CopyKind.HOST_TO_DEVICE, scratch(slot) + from, pinned.address() + offset(slot) + from, length);
        }
    }

    static long align(final long length)
    {
        return length + ALIGNMENT - 1 & -ALIGNMENT;
    }

    /** Nothing is under way. */
    void close()
    {
        if (null != pinned)
        {
            leftovers.giveBack("page-locked memory of row kernels", pinned::close);
            pinned = null;
        }

        if (0 != scratch)
        {
            final long address = scratch;
            leftovers.giveBack("memory of row kernels", () -> device.free(address));
            scratch = 0;
        }
    }
}
