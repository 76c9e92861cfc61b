/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.RemoteRegion;

/** A region of a peer. */
final class ImportedRegion extends Import implements RemoteRegion
{
    ImportedRegion(
        final AeronWorker worker, final Descriptor descriptor, final MappedFile mapping, final OwnMemory own)
    {
        super(worker, descriptor, mapping, own);
    }

    @Override
    public long length()
    {
        return extent();
    }
}
