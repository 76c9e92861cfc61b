/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.transport.base.CallerMemory;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;

/** A region of a peer; what this process maps, the own rank's too, has a window. */
final class ImportedRegion extends AeronImport implements RemoteRegion
{
    /** Null where nothing is mapped. */
    private final CallerMemory mapped;

    /** As {@link AeronImport}; {@code mayMap} says whether anything is mapped at all. */
    ImportedRegion(
        final AeronWorker worker,
        final RegionDescriptor descriptor,
        final OwnMemory own,
        final MappedFile mapping,
        final boolean mayMap)
    {
        super(worker, descriptor, own, mapping);
        this.mapped = mayMap && 0 != address() ? new CallerMemory(address()) : null;
    }

    @Override
    public long length()
    {
        return extent();
    }

    @Override
    public MemoryRegion window()
    {
        return null == mapped ? null : windowOver(mapped);
    }
}
