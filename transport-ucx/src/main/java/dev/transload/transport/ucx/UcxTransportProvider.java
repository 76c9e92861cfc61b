/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportUnavailableException;
import java.util.List;

/** Provider of the transport {@code ucx}. */
public final class UcxTransportProvider implements TransportProvider
{
    private final UcxStack stack;

    /** For the service loader: each transport makes a context of UCX of its own. */
    public UcxTransportProvider()
    {
        this(null);
    }

    /**
     * For an application that has UCX in use.
     *
     * @param stack lent to the transports that this provider opens, or null to let each make its own.
     */
    public UcxTransportProvider(final UcxStack stack)
    {
        this.stack = stack;
    }

    @Override
    public String name()
    {
        return UcxOptions.TRANSPORT;
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    public List<ConfigOption> options()
    {
        return UcxOptions.ALL;
    }

    @Override
    public Availability probe(final TransportConfig config)
    {
        try
        {
            final UcxOptions options = UcxOptions.of(config);
            try (UcxContext context = UcxResources.openContext(options, stack))
            {
                return new Availability.Available(
                    UcxCapabilities.of(
                    context, options, NetworkCards.areAddsByCpu(options, context.selection())));
            }
        }
        catch (final TransportException ex)
        {
            return new Availability.Unavailable(ex.getMessage(), ex);
        }
        catch (final RuntimeException | LinkageError ex)
        {
            return new Availability.Unavailable("transport ucx cannot be used: " + ex, ex);
        }
    }

    @Override
    public Transport open(final TransportConfig config)
    {
        final UcxOptions options = UcxOptions.of(config);
        try
        {
            return UcxTransport.open(config, options, stack);
        }
        catch (final LinkageError ex)
        {
            throw new TransportUnavailableException("transport ucx cannot be used: " + ex, ex);
        }
    }
}
