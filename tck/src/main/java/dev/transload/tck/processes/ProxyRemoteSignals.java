/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.RemoteSignals;

/** Signals of a peer as imported in a rank's process. */
final class ProxyRemoteSignals extends Proxied implements RemoteSignals
{
    ProxyRemoteSignals(final RankProcess process, final long handle)
    {
        super(process, handle);
    }

    @Override
    public int peer()
    {
        return (int)ask(Request.REMOTE_SIGNALS_PEER);
    }

    @Override
    public int count()
    {
        return (int)ask(Request.REMOTE_SIGNALS_COUNT);
    }
}
