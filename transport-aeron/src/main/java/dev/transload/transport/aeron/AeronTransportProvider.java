/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportUnavailableException;
import java.util.List;

/** Provider of the transport {@code aeron}. */
public final class AeronTransportProvider implements TransportProvider
{
    /** For the service loader. */
    public AeronTransportProvider()
    {
    }

    @Override
    public String name()
    {
        return AeronOptions.TRANSPORT;
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    public List<ConfigOption> options()
    {
        return AeronOptions.ALL;
    }

    @Override
    public Availability probe(final TransportConfig config)
    {
        try
        {
            final AeronOptions options = AeronOptions.of(config);
            Prerequisites.check(options);
            return new Availability.Available(AeronCapabilities.of(options));
        }
        catch (final TransportException ex)
        {
            return new Availability.Unavailable(ex.getMessage(), ex);
        }
        catch (final RuntimeException | LinkageError ex)
        {
            return new Availability.Unavailable("transport aeron cannot be used: " + ex, ex);
        }
    }

    @Override
    public Transport open(final TransportConfig config)
    {
        final AeronOptions options = AeronOptions.of(config);
        Prerequisites.check(options);
        try
        {
            return AeronTransport.open(config, options);
        }
        catch (final LinkageError ex)
        {
            throw new TransportUnavailableException("transport aeron cannot be used: " + ex, ex);
        }
    }
}
