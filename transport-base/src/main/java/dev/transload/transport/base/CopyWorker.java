/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Worker that maps imported host memory into this process. The channels of the worker are {@link CopyChannel}s or other
 * channels that access memory by address.
 */
public abstract class CopyWorker extends AbstractWorker
{
    /**
     * Creates an open worker. The first thread that uses the worker owns it.
     *
     * @param transport transport to which the worker belongs; {@link AbstractTransport#control} must already have been
     *                  called.
     * @param index     index of the worker.
     */
    protected CopyWorker(final AbstractTransport transport, final int index)
    {
        super(transport, index);
    }

    /**
     * Maps memory of a reachable peer into this process.
     *
     * @param descriptor descriptor of a region or of signals.
     * @return mapped memory. The import frees the memory once, when the import is closed.
     * @throws dev.transload.spi.TransportUnavailableException if the memory cannot be mapped; the message is a complete
     *                                                         sentence.
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
