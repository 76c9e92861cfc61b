/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;

/**
 * Imported region of a peer or of this rank. The region has a window if this process maps the memory and the transport
 * promises {@link dev.transload.spi.Capability#WINDOWS}.
 */
public final class ImportedRegion extends Import implements RemoteRegion
{
    private final MemoryKind kind;
    private final int device;
    private final RegionMemory memory;

    /**
     * Creates an import of host memory.
     *
     * @param worker     worker that imports the memory with {@link AbstractWorker#importMemory}.
     * @param descriptor descriptor of the region.
     * @param own        region to which the descriptor refers if this rank owns it, otherwise null.
     * @param memory     memory as mapped in this process, or null if it is not mapped. Closing the import frees this
     *                   memory, unless this rank owns it.
     */
    public ImportedRegion(
        final AbstractWorker worker,
        final RegionDescriptor descriptor,
        final OwnMemory own,
        final RegionMemory memory)
    {
        this(worker, descriptor, own, MemoryKind.HOST, 0, memory, null == memory ? null : memory::free);
    }

    /**
     * Creates an import of memory of any kind.
     *
     * @param worker     worker that imports the memory with {@link AbstractWorker#importMemory}.
     * @param descriptor descriptor of the region.
     * @param own        region to which the descriptor refers if this rank owns it, otherwise null.
     * @param kind       kind of the memory.
     * @param device     device of this process that owns the memory, 0 for {@link MemoryKind#HOST}.
     * @param memory     memory as mapped in this process, or null if it is not mapped.
     * @param release    action that frees memory of a peer, or null if there is nothing to free. The action runs once,
     *                   on any thread, when no operation uses the memory. The action does not run for memory of this
     *                   rank.
     */
    public ImportedRegion(
        final AbstractWorker worker,
        final RegionDescriptor descriptor,
        final OwnMemory own,
        final MemoryKind kind,
        final int device,
        final RegionMemory memory,
        final Runnable release)
    {
        super(worker, descriptor, own, null == memory ? 0 : memory.address(), release);
        this.kind = kind;
        this.device = device;
        this.memory = memory;
    }

    @Override
    public long length()
    {
        return extent();
    }

    @Override
    public MemoryRegion window()
    {
        return null == memory ? null : windowOver(kind, device, memory);
    }

    /**
     * Returns the memory of the region.
     *
     * @return memory as mapped in this process, or null if it is not mapped.
     */
    public RegionMemory memory()
    {
        return memory;
    }
}
