/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.RemoteSignals;
import dev.transload.transport.base.Import;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;

/** Signals of a peer. */
final class ImportedSignals extends Import implements RemoteSignals
{
    private final PeerMemories memories;
    private final boolean isOwn;

    ImportedSignals(final HccsWorker worker, final RegionDescriptor descriptor, final OwnMemory own)
    {
        super(worker, descriptor, own,
            null == own ? worker.transport().peerMemories().openSignals(descriptor) : own.address());
        this.memories = worker.transport().peerMemories();
        this.isOwn = null != own;
    }

    @Override
    public int count()
    {
        return (int)extent();
    }

    @Override
    protected void onRelease()
    {
        if (!isOwn)
        {
            memories.closeSignals(descriptor());
        }
    }
}
