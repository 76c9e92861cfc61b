/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.RemoteSignals;

/** Signals of a peer. */
final class ImportedSignals extends Import implements RemoteSignals
{
    ImportedSignals(
        final AeronWorker worker, final Descriptor descriptor, final MappedFile mapping, final OwnMemory own)
    {
        super(worker, descriptor, mapping, own);
    }

    @Override
    public int count()
    {
        return (int)extent();
    }
}
