/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.spi.Access;
import dev.transload.spi.Capabilities;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.CallerMemory;
import dev.transload.transport.base.HeapMemory;
import dev.transload.transport.base.HostResources;
import dev.transload.transport.base.HostTransport;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.base.MappingTable;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.base.SharedMemory;

/** One rank: memory for peers lives in files of its private directory, which they map. */
class MmapTransport extends HostTransport
{
    private static final long MAX_SLEEP_NS = 4_000_000;

    private final MappingTable mappings = new MappingTable();

    MmapTransport(final TransportConfig config, final Capabilities promised, final HostResources resources)
    {
        super(config, promised, resources);
        start(AgentIdle.of("backoff", MAX_SLEEP_NS));
    }

    @Override
    protected RegionMemory allocateMemory(
        final int id, final MemoryKind kind, final int device, final long length, final Access access)
    {
        return Access.LOCAL == access ? HeapMemory.allocate(MmapTransportProvider.NAME, length) :
            newFile(RegionDescriptor.REGION, id, length);
    }

    @Override
    protected SharedMemory allocateSignalMemory(final int id, final long length)
    {
        return newFile(RegionDescriptor.SIGNALS, id, length);
    }

    @Override
    protected RegionMemory registerMemory(
        final int id, final MemoryKind kind, final int device, final long address, final long length,
        final Access access)
    {
        return new CallerMemory(address);
    }

    @Override
    protected AbstractWorker newWorker(final int index)
    {
        return new MmapWorker(this, index);
    }

    RegionMemory map(final RegionDescriptor descriptor)
    {
        return mappings.acquire(directoryOf(descriptor.owner()), descriptor);
    }

    private MappedFile newFile(final int kind, final int id, final long length)
    {
        return MappedFile.create(MmapTransportProvider.NAME,
            directory().path().resolve(RegionDescriptor.name(kind, id)), length);
    }
}
