/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.RemoteSignals;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;

/** Signals of a peer. */
final class ImportedSignals extends AeronImport implements RemoteSignals
{
    ImportedSignals(
        final AeronWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final MappedFile mapping)
    {
        super(worker, descriptor, own, mapping);
    }

    @Override
    public int count()
    {
        return (int)extent();
    }
}
