/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.Capabilities;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractTransportProvider;

/** Provider of the transport {@code aeron}. */
public final class AeronTransportProvider extends AbstractTransportProvider
{
    /** Constructor for the service loader. */
    public AeronTransportProvider()
    {
        super(AeronOptions.TRANSPORT, AeronOptions.ALL);
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    protected Capabilities promise(final TransportConfig config)
    {
        return AeronCapabilities.of(checked(config));
    }

    @Override
    protected Transport openTransport(final TransportConfig config)
    {
        return AeronTransport.open(config, checked(config));
    }

    private static AeronOptions checked(final TransportConfig config)
    {
        final AeronOptions options = AeronOptions.of(config);
        Prerequisites.check(options);
        return options;
    }
}
