/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.Capabilities;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractTransportProvider;

/** Provider of the transport {@code nvlink}. */
public final class NvlinkTransportProvider extends AbstractTransportProvider
{
    /** Constructor for the service loader. */
    public NvlinkTransportProvider()
    {
        super(NvlinkOptions.TRANSPORT, NvlinkOptions.ALL);
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    protected Capabilities promise(final TransportConfig config)
    {
        return NvlinkCapabilities.of(Devices.select(NvlinkOptions.of(config), config.rank()));
    }

    @Override
    protected Transport openTransport(final TransportConfig config)
    {
        final NvlinkOptions options = NvlinkOptions.of(config);
        return Devices.open(() -> NvlinkTransport.open(config, options, Devices.select(options, config.rank())));
    }
}
