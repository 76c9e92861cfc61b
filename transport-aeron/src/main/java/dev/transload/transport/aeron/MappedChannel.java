/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.RowList;
import dev.transload.transport.base.CopyChannel;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RowCopy;
import dev.transload.transport.base.WordCopy;
import org.agrona.UnsafeApi;

/** Channel to a peer whose memory this process has mapped, and to the own rank. */
final class MappedChannel extends CopyChannel
{
    MappedChannel(final AeronWorker worker, final int id, final PeerIdentity identity, final long incarnation)
    {
        super(worker, id, identity, incarnation);
    }

    @Override
    protected int service()
    {
        return DataPath.MAPPED.ordinal();
    }

    @Override
    protected void copy(final long src, final long dst, final long length)
    {
        UnsafeApi.copyMemory(src, dst, length);
    }

    @Override
    protected void copyBack(final long src, final long dst, final long length)
    {
        WordCopy.copy(src, dst, length);
    }

    @Override
    protected void copyRows(final long src, final long dst, final RowList rows, final int from, final int end)
    {
        RowCopy.copy(src, dst, rows, from, end);
    }

    @Override
    protected void add(final long word, final long delta)
    {
        UnsafeApi.getAndAddLong(null, word, delta);
    }
}
