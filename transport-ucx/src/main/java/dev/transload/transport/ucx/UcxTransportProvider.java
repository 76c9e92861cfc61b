/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Capabilities;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractTransportProvider;

/** Provider of the transport {@code ucx}. */
public final class UcxTransportProvider extends AbstractTransportProvider
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
        super(UcxOptions.TRANSPORT, UcxOptions.ALL);
        this.stack = stack;
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    protected Capabilities promise(final TransportConfig config)
    {
        final UcxOptions options = UcxOptions.of(config);
        try (UcxContext context = UcxResources.openContext(options, stack))
        {
            return UcxCapabilities.of(context, options);
        }
    }

    @Override
    protected Transport openTransport(final TransportConfig config)
    {
        return UcxTransport.open(config, UcxOptions.of(config), stack);
    }
}
