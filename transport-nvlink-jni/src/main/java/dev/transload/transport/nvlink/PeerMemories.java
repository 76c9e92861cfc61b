/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.MappingTable;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaException;

/** Memory of peers, brought within reach of this process and its device. */
final class PeerMemories
{
    private final CudaDevice device;
    private final PeerIdentity own;
    private final Memories memories;
    private final FileImports files;
    private final MappingTable mappings = new MappingTable();

    PeerMemories(final CudaDevice device, final PeerIdentity own, final Memories memories, final FileImports files)
    {
        this.files = files;
        this.device = device;
        this.own = own;
        this.memories = memories;
    }

    /** A region, of either kind. */
    NvlinkMemory openRegion(final RegionDescriptor descriptor)
    {
        final MemoryKey key = MemoryKey.of(descriptor);
        if (null == key)
        {
            final RegionMemory mapped = openSignals(descriptor);
            return memories.registered(mapped.address(), descriptor.length(), mapped::free);
        }

        if (0 != key.address() && own.process().equals(descriptor.owner().process()))
        {
            device.enablePeer(owner(descriptor, key));
            return NvlinkMemory.ofDevice(key.address(), RegionDescriptor.NO_KEY, () -> {});
        }

        return open(descriptor, key);
    }

    /** Signals, and regions of the host: files that this process maps. */
    RegionMemory openSignals(final RegionDescriptor descriptor)
    {
        return mappings.acquire(NvlinkContact.of(descriptor.owner()).directory(), descriptor);
    }

    /** Ordinal in this process of the device that has a region's memory. */
    int ordinal(final RegionDescriptor descriptor)
    {
        final MemoryKey key = MemoryKey.of(descriptor);
        return null == key ? 0 : owner(descriptor, key).ordinal();
    }

    private NvlinkMemory open(final RegionDescriptor descriptor, final MemoryKey key)
    {
        owner(descriptor, key);
        try
        {
            if (key.files() > 0)
            {
                final long first = files.acquire(descriptor, key.files());
                return NvlinkMemory.ofDevice(
                    first + key.offset(), RegionDescriptor.NO_KEY, () -> files.release(descriptor));
            }

            final long base = device.ipc().open(key.handle());
            return NvlinkMemory.ofDevice(
                base + key.offset(), RegionDescriptor.NO_KEY, () -> device.ipc().close(key.handle()));
        }
        catch (final CudaException | TransportUnavailableException ex)
        {
            throw new TransportUnavailableException("transport nvlink cannot open " + descriptor.name() + " of " +
                descriptor.owner().describe() + " (" + ex.getMessage() +
                "): the region is closed, the rank is gone, or the two processes may not share memory", ex);
        }
    }

    private CudaDevice owner(final RegionDescriptor descriptor, final MemoryKey key)
    {
        final CudaDevice found = Devices.find(device.driver(), key.device());
        if (null == found)
        {
            throw new TransportUnavailableException("transport nvlink: the device of rank " +
                descriptor.owner().rank() + " is hidden from this process: set no CUDA_VISIBLE_DEVICES per rank", null);
        }

        return found;
    }
}
