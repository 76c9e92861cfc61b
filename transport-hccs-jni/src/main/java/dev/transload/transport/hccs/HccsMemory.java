/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.transport.base.AddressView;
import dev.transload.transport.base.ImportedRegion;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionMemory;
import java.nio.ByteBuffer;

/**
 * Memory as this process addresses it: of this rank or of a peer, of a device or of the host.
 *
 * @param address of the first byte.
 * @param place   whose memory it is.
 * @param key     of its descriptor.
 * @param onFree  gives it back.
 */
record HccsMemory(long address, Place place, ByteBuffer key, Runnable onFree) implements RegionMemory
{
    /** Whose memory it is. */
    enum Place
    {
        /** The host's, of this rank or of a peer. */
        HOST,
        /** The own device's. */
        OWN_DEVICE,
        /** A peer's device's, which the own one reaches by its copies alone: not between it and host memory. */
        PEER_DEVICE
    }

    static HccsMemory ofDevice(final long address, final ByteBuffer key, final Runnable onFree)
    {
        return new HccsMemory(address, Place.OWN_DEVICE, key, onFree);
    }

    static HccsMemory ofPeer(final long address, final Runnable onFree)
    {
        return new HccsMemory(address, Place.PEER_DEVICE, RegionDescriptor.NO_KEY, onFree);
    }

    static HccsMemory ofHost(final long address, final Runnable onFree)
    {
        return new HccsMemory(address, Place.HOST, RegionDescriptor.NO_KEY, onFree);
    }

    /** The memory behind a region of this transport, a window too. */
    static HccsMemory of(final LocalRegion region)
    {
        return (HccsMemory)region.memory();
    }

    /** The memory behind an import. */
    static HccsMemory of(final ImportedRegion region)
    {
        return (HccsMemory)region.memory();
    }

    /** Whether only devices may look into it. */
    boolean isDevice()
    {
        return Place.HOST != place;
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
