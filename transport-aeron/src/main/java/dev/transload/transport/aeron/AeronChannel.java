/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.transport.base.AbstractChannel;
import dev.transload.transport.base.OperationArguments;
import dev.transload.transport.base.PeerIdentity;

/** What both data paths have in common: the memory of peers, checked before it is touched. */
abstract class AeronChannel extends AbstractChannel
{
    AeronChannel(final AeronWorker worker, final int id, final PeerIdentity identity, final long incarnation)
    {
        super(worker, id, identity, incarnation);
    }

    abstract DataPath path();

    @Override
    protected final int service()
    {
        return path().ordinal();
    }

    final ImportedRegion remote(final String name, final RemoteRegion region)
    {
        return imported(name, region, ImportedRegion.class);
    }

    final ImportedSignals remote(final String name, final RemoteSignals signals, final int index, final long delta)
    {
        final ImportedSignals imported = imported(name, signals, ImportedSignals.class);
        OperationArguments.checkAdd(name, index, delta, imported.extent());
        return imported;
    }
}
