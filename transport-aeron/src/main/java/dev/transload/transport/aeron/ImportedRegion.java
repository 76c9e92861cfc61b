/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.RemoteRegion;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;

/** A region of a peer. */
final class ImportedRegion extends AeronImport implements RemoteRegion
{
    ImportedRegion(
        final AeronWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final MappedFile mapping)
    {
        super(worker, descriptor, own, mapping);
    }

    @Override
    public long length()
    {
        return extent();
    }
}
