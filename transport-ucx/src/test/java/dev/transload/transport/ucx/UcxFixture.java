/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.tck.ConformanceFixture;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the kit must know of this transport. */
final class UcxFixture implements ConformanceFixture
{
    private final Map<String, String> options;
    private final Map<Integer, UcxTransport> transports = new HashMap<>();
    private final TransportProvider provider = new Recorder();

    /** The provider, with a memory of what it opened. */
    private final class Recorder implements TransportProvider
    {
        private final UcxTransportProvider delegate = new UcxTransportProvider();

        @Override
        public String name()
        {
            return delegate.name();
        }

        @Override
        public int spiVersion()
        {
            return delegate.spiVersion();
        }

        @Override
        public List<ConfigOption> options()
        {
            return delegate.options();
        }

        @Override
        public Availability probe(final TransportConfig config)
        {
            return delegate.probe(config);
        }

        @Override
        public Transport open(final TransportConfig config)
        {
            final Transport transport = delegate.open(config);
            transports.put(config.rank(), (UcxTransport)transport);
            return transport;
        }
    }

    UcxFixture(final Map<String, String> options)
    {
        this.options = options;
    }

    @Override
    public TransportProvider provider()
    {
        return provider;
    }

    @Override
    public Map<String, String> options(final int rank)
    {
        return options;
    }

    @Override
    public boolean kill(final int rank)
    {
        transports.get(rank).halt();
        return true;
    }
}
