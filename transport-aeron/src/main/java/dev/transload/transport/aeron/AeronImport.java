/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.Import;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;

/** Memory of a peer, of which this process may have mapped the file. */
abstract class AeronImport extends Import
{
    private final AeronWorker worker;
    private final boolean isMapped;

    /**
     * Of a worker.
     *
     * @param worker     that imports.
     * @param descriptor of the memory.
     * @param own        memory of this rank, or null.
     * @param mapping    of the peer's file, or null; with neither of the two it is reached by messages.
     */
    AeronImport(
        final AeronWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final MappedFile mapping)
    {
        super(worker, descriptor, own, null == mapping ? 0 : mapping.address());
        this.worker = worker;
        this.isMapped = null != mapping;
    }

    @Override
    protected final void onRelease()
    {
        if (isMapped)
        {
            worker.mappings().release(AeronContact.of(owner()).regionDirectory(), descriptor());
        }
    }
}
