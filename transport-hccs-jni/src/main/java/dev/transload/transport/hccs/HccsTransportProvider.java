/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.Capabilities;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractTransportProvider;

/** Provider of the transport {@code hccs}. */
public final class HccsTransportProvider extends AbstractTransportProvider
{
    /** Constructor for the service loader. */
    public HccsTransportProvider()
    {
        super(HccsOptions.TRANSPORT, HccsOptions.ALL);
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    protected Capabilities promise(final TransportConfig config)
    {
        return HccsCapabilities.of(Devices.select(HccsOptions.of(config), config.rank()).library());
    }

    @Override
    protected Transport openTransport(final TransportConfig config)
    {
        final HccsOptions options = HccsOptions.of(config);
        return HccsTransport.open(config, options, Devices.select(options, config.rank()));
    }
}
