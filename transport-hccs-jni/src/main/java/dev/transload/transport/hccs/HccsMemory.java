/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.transport.base.AddressView;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionMemory;

import java.nio.ByteBuffer;

/**
 * Memory as this process addresses it: of this rank or of a peer, of a device or of the host.
 *
 * @param address  of the first byte.
 * @param isDevice whether only a device may look into it.
 * @param key      of its descriptor.
 * @param onFree   gives it back.
 */
record HccsMemory(long address, boolean isDevice, ByteBuffer key, Runnable onFree) implements RegionMemory
{
    static HccsMemory ofDevice(final long address, final ByteBuffer key, final Runnable onFree)
    {
        return new HccsMemory(address, true, key, onFree);
    }

    static HccsMemory ofHost(final long address, final Runnable onFree)
    {
        return new HccsMemory(address, false, RegionDescriptor.NO_KEY, onFree);
    }

    /** The memory behind a region of this transport, a window too. */
    static HccsMemory of(final LocalRegion region)
    {
        return (HccsMemory)region.memory();
    }

    @Override
    public ByteBuffer view(final long offset, final int length)
    {
        return AddressView.of(address + offset, length);
    }

    @Override
    public void free()
    {
        onFree.run();
    }
}
