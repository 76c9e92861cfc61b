/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.RemoteRegion;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;

/** A region of a peer. */
final class ImportedRegion extends RemoteMemory implements RemoteRegion
{
    ImportedRegion(
        final UcxWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final boolean isDirect)
    {
        super(worker, descriptor, own, isDirect);
    }

    @Override
    public long length()
    {
        return extent();
    }
}
