/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;

/**
 * A region of a peer, or of this rank. Where this process addresses it and the transport promises
 * {@link dev.transload.spi.Capability#WINDOWS}, it has a window.
 */
public final class ImportedRegion extends Import implements RemoteRegion
{
    private final MemoryKind kind;
    private final int device;
    private final RegionMemory memory;

    /**
     * Host memory.
     *
     * @param worker     that imports, by {@link AbstractWorker#importMemory}.
     * @param descriptor of the region.
     * @param own        region of this rank that the descriptor stands for, or null.
     * @param memory     as this process addresses it, null where it does not; a peer's is freed with the import.
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
     * Memory of any kind.
     *
     * @param worker     that imports, by {@link AbstractWorker#importMemory}.
     * @param descriptor of the region.
     * @param own        region of this rank that the descriptor stands for, or null.
     * @param kind       of the memory.
     * @param device     of this process that owns it, 0 for {@link MemoryKind#HOST}.
     * @param memory     as this process addresses it, null where it does not.
     * @param release    gives a peer's memory back, once, when no operation on it is under way; from any thread. It is
     *                   not called for memory of this rank, and may be null.
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
     * The bytes behind it.
     *
     * @return memory as this process addresses it, or null.
     */
    public RegionMemory memory()
    {
        return memory;
    }
}
