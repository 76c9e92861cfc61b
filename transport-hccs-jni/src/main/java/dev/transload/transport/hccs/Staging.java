/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.Leftovers;
import dev.transload.transport.hccs.internal.acl.PinnedMemory;
import dev.transload.transport.hccs.internal.acl.StreamProgress;

/**
 * Page-locked memory through which host memory of any kind goes to and from a device: slots in turn, each used again
 * once the stream has done all that was submitted on it. One thread's.
 */
final class Staging
{
    private static final int SLOTS = 4;
    private static final int ALIGNMENT = 64;

    private final AclDevice device;
    private final StreamProgress progress;
    private final int slotBytes;
    private final long[] values = new long[SLOTS];
    private PinnedMemory memory;
    private long scratch;
    private int slot;
    private int used;

    /** Takes no memory before it is needed. */
    Staging(final AclDevice device, final StreamProgress progress, final int bytes)
    {
        this.device = device;
        this.progress = progress;
        this.slotBytes = bytes / SLOTS & -ALIGNMENT;
    }

    /**
     * How much can be taken at once.
     *
     * @param wanted bytes, positive.
     * @return bytes, 0 when all slots are in use.
     */
    int room(final long wanted)
    {
        if (null == memory)
        {
            memory = device.allocatePinned((long)SLOTS * slotBytes);
        }

        if (used == slotBytes)
        {
            final int next = (slot + 1) % SLOTS;
            if (progress.completed() < values[next])
            {
                return 0;
            }

            slot = next;
            used = 0;
        }

        return (int)Math.min(wanted, slotBytes - used);
    }

    /**
     * Take some, on which work is submitted next.
     *
     * @param bytes at most {@link #room}.
     * @return address.
     */
    long take(final int bytes)
    {
        final long address = memory.address() + (long)slot * slotBytes + used;
        used = Math.min(slotBytes, used + bytes + ALIGNMENT - 1 & -ALIGNMENT);
        return address;
    }

    /** Memory of the device that goes with what was taken, for bytes on their way to or from another device. */
    long beside(final long address)
    {
        if (0 == scratch)
        {
            scratch = device.allocate((long)SLOTS * slotBytes, false);
        }

        return scratch + address - memory.address();
    }

    /** Work was submitted on what was taken last. */
    void touch()
    {
        progress.touch();
        values[slot] = progress.submitted();
    }

    /** Only once the stream is closed. */
    void close(final Leftovers leftovers)
    {
        if (null != memory)
        {
            leftovers.giveBack("page-locked memory", memory::close);
        }

        if (0 != scratch)
        {
            final long address = scratch;
            leftovers.giveBack("memory of a channel", () -> device.free(address));
        }
    }
}
