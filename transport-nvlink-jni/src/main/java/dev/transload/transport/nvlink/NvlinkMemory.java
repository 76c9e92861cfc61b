/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.transport.base.AddressView;
import dev.transload.transport.base.ImportedRegion;
import dev.transload.transport.base.LocalRegion;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionMemory;
import java.nio.ByteBuffer;

/** Memory as this process addresses it: of this rank or of a peer, of a device or of the host. */
final class NvlinkMemory implements RegionMemory
{
    private final long address;
    private final boolean isDevice;
    private final String obstacle;
    private final ByteBuffer key;
    private final Runnable onFree;

    /**
     * Of some origin.
     *
     * @param address  of the first byte.
     * @param isDevice whether it is memory of a device.
     * @param obstacle null, or why the device of this rank cannot address it.
     * @param key      of its descriptor.
     * @param onFree   gives it back.
     */
    private NvlinkMemory(
        final long address, final boolean isDevice, final String obstacle, final ByteBuffer key, final Runnable onFree)
    {
        this.address = address;
        this.isDevice = isDevice;
        this.obstacle = obstacle;
        this.key = key;
        this.onFree = onFree;
    }

    static NvlinkMemory ofDevice(final long address, final ByteBuffer key, final Runnable onFree)
    {
        return new NvlinkMemory(address, true, null, key, onFree);
    }

    static NvlinkMemory ofHost(final long address, final String obstacle, final Runnable onFree)
    {
        return new NvlinkMemory(address, false, obstacle, RegionDescriptor.NO_KEY, onFree);
    }

    @Override
    public long address()
    {
        return address;
    }

    @Override
    public ByteBuffer view(final long offset, final int length)
    {
        return AddressView.of(address + offset, length);
    }

    @Override
    public ByteBuffer key()
    {
        return key;
    }

    @Override
    public void free()
    {
        onFree.run();
    }

    /** Whether only a device may look into it. */
    boolean isDevice()
    {
        return isDevice;
    }

    /** The memory behind a region of this transport, a window too. */
    static NvlinkMemory of(final LocalRegion region)
    {
        return (NvlinkMemory)region.memory();
    }

    /** The memory behind an import. */
    static NvlinkMemory of(final ImportedRegion region)
    {
        return (NvlinkMemory)region.memory();
    }

    /**
     * Who copies from one to the other.
     *
     * @param source named {@code src} by the caller.
     * @param target named {@code dst} by the caller.
     * @return true for the device, which one of the two needs; false for the CPU.
     * @throws IllegalArgumentException when the device is needed, and cannot address one of the two.
     */
    static boolean isForDevice(final NvlinkMemory source, final NvlinkMemory target)
    {
        if (!source.isDevice && !target.isDevice)
        {
            return false;
        }

        source.checkReachable("src");
        target.checkReachable("dst");
        return true;
    }

    private void checkReachable(final String name)
    {
        if (null != obstacle)
        {
            throw new IllegalArgumentException(name + " is host memory that the device cannot address (" + obstacle +
                "): allocate it by the transport, or register whole pages");
        }
    }
}
