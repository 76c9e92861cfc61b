/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Fixture that runs all ranks in this JVM with the same options, for a transport that can simulate a crash. */
public class InProcessFixture implements ConformanceFixture
{
    private final TransportProvider provider;
    private final Map<String, String> options;
    private final Consumer<Transport> kill;
    private final Map<Integer, Transport> transports = new HashMap<>();
    private final TransportProvider recorder = new Recorder();

    /** The provider, with a memory of what it opened. */
    private final class Recorder implements TransportProvider
    {
        @Override
        public String name()
        {
            return provider.name();
        }

        @Override
        public int spiVersion()
        {
            return provider.spiVersion();
        }

        @Override
        public List<ConfigOption> options()
        {
            return provider.options();
        }

        @Override
        public Availability probe(final TransportConfig config)
        {
            return provider.probe(config);
        }

        @Override
        public Transport open(final TransportConfig config)
        {
            final Transport transport = provider.open(config);
            transports.put(config.rank(), transport);
            return transport;
        }
    }

    /**
     * Creates a fixture for one test.
     *
     * @param provider provider under test.
     * @param options  transport options of every rank.
     * @param kill     stops a rank's transport without a goodbye message.
     */
    public InProcessFixture(
        final TransportProvider provider, final Map<String, String> options, final Consumer<Transport> kill)
    {
        this.provider = provider;
        this.options = Map.copyOf(options);
        this.kill = kill;
    }

    @Override
    public final TransportProvider provider()
    {
        return recorder;
    }

    @Override
    public final Map<String, String> options(final int rank)
    {
        return options;
    }

    @Override
    public final boolean kill(final int rank)
    {
        kill.accept(transports.get(rank));
        return true;
    }
}
