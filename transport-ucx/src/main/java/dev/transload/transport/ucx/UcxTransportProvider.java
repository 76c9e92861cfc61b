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

    /** Constructor for the service loader. Each transport creates its own UCX context. */
    public UcxTransportProvider()
    {
        this(null);
    }

    /**
     * Creates a provider for an application that already uses UCX.
     *
     * @param stack UCX objects that transports of this provider use, or null if each transport creates its own.
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
