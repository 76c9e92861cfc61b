/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;

/** A region of a peer as imported in a rank's process. */
final class ProxyRemoteRegion extends Proxied implements RemoteRegion
{
    ProxyRemoteRegion(final RankProcess process, final long handle)
    {
        super(process, handle);
    }

    @Override
    public int peer()
    {
        return (int)ask(Request.REMOTE_PEER);
    }

    @Override
    public long length()
    {
        return ask(Request.REMOTE_LENGTH);
    }

    /** Looked into from the rank's process, as all memory there. */
    @Override
    public MemoryRegion window()
    {
        final long window = ask(Request.REMOTE_WINDOW);
        return window < 0 ? null : new ProxyRegion(process, window);
    }
}
