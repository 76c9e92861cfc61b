/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.transport.base.Import;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;

/** A region of a peer; all of them have windows. */
final class ImportedRegion extends Import implements RemoteRegion
{
    private final HccsWorker worker;
    private final HccsMemory memory;
    private final int ordinal;
    private final boolean isOwn;

    /**
     * Of a worker.
     *
     * @param worker     that imports.
     * @param descriptor of the region.
     * @param own        region of this rank, or null.
     * @param memory     as this process reaches it.
     */
    ImportedRegion(
        final HccsWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final HccsMemory memory)
    {
        super(worker, descriptor, own, memory.address());
        this.worker = worker;
        this.memory = memory;
        final MemoryKey key = MemoryKey.of(descriptor);
        this.ordinal = null == key ? 0 : key.ordinal();
        this.isOwn = null != own;
    }

    @Override
    public long length()
    {
        return extent();
    }

    @Override
    public MemoryRegion window()
    {
        return windowOver(memory.isDevice() ? MemoryKind.ASCEND : MemoryKind.HOST, ordinal, memory);
    }

    @Override
    protected void onRelease()
    {
        if (!isOwn)
        {
            // Whatever channel uses it on the device: it must be done before the memory is out of reach.
            worker.transport().streams().drain();
            memory.free();
        }
    }

    HccsMemory memory()
    {
        return memory;
    }
}
