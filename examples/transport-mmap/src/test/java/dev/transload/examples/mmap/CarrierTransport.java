/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.spi.Capabilities;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractChannel;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.HostResources;
import dev.transload.transport.base.PeerIdentity;

/** The sample with other channels. */
final class CarrierTransport extends MmapTransport
{
    private final CarrierOptions options;

    CarrierTransport(
        final TransportConfig config,
        final Capabilities promised,
        final HostResources resources,
        final CarrierOptions options)
    {
        super(config, promised, resources);
        this.options = options;
    }

    @Override
    protected AbstractWorker newWorker(final int index)
    {
        return new MmapWorker(this, index)
        {
            @Override
            protected AbstractChannel newChannel(final int id, final PeerIdentity peer, final long incarnation)
            {
                return new CarrierChannel(this, id, peer, incarnation, options);
            }
        };
    }
}
