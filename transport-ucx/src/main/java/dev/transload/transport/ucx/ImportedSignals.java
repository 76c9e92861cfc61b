/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.RemoteSignals;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;

/** Signals of a peer. */
final class ImportedSignals extends RemoteMemory implements RemoteSignals
{
    ImportedSignals(
        final UcxWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final boolean isDirect)
    {
        super(worker, descriptor, own, isDirect);
    }

    @Override
    public int count()
    {
        return (int)extent();
    }
}
