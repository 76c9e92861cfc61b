/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A worker that imports host memory, which this process then addresses. Its channels are {@link CopyChannel}s, or
 * others that reach memory by its address.
 */
public abstract class CopyWorker extends AbstractWorker
{
    /**
     * Open; the first thread that uses it owns it.
     *
     * @param transport that it belongs to, whose agent has been made.
     * @param index     of the worker.
     */
    protected CopyWorker(final AbstractTransport transport, final int index)
    {
        super(transport, index);
    }

    /**
     * Let this process address memory of a peer that it reaches.
     *
     * @param descriptor of a region or of signals.
     * @return memory, which is freed once, when the import ends.
     * @throws dev.transload.spi.TransportUnavailableException when it can't be had: a sentence.
     */
    protected abstract RegionMemory map(RegionDescriptor descriptor);

    @Override
    public final RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        return importReachable(RegionDescriptor.REGION, peer, descriptor, (decoded, own) ->
            null == own ? new ImportedRegion(this, decoded, null, map(decoded)) :
            new ImportedRegion(this, decoded, own, ((LocalRegion)own).memory()));
    }

    @Override
    public final RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        return importReachable(RegionDescriptor.SIGNALS, peer, descriptor, (decoded, own) ->
            new ImportedSignals(this, decoded, own, null == own ? map(decoded) : null));
    }

    @Override
    public final int progress()
    {
        checkThread();
        int work = 0;
        final List<AbstractChannel> channels = channels();
        for (int i = 0; i < channels.size(); i++)
        {
            work += channels.get(i).progress();
        }

        return work;
    }
}
