/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import java.util.List;
import java.util.Set;

/**
 * Opens the transports of one network of a {@link SteppingFabric}. {@link SteppingFabric#provider} creates instances
 * of this class.
 */
public final class SteppingProvider implements TransportProvider
{
    static final ConfigOption LABEL =
        new ConfigOption("label", "", "any text", "Text that reports show besides the seed.");

    private final SteppingNetwork network;

    SteppingProvider(final SteppingNetwork network)
    {
        this.network = network;
    }

    /**
     * Restricts the network's transports to some memory kinds of the fabric. This method must be called before the
     * first transport of the network opens.
     *
     * @param value allowed memory kinds.
     * @return this provider.
     */
    public SteppingProvider kinds(final Set<MemoryKind> value)
    {
        network.kinds(value);
        return this;
    }

    @Override
    public String name()
    {
        return network.fabric().has(Fault.PRV_2) ? "Stepping!" : network.name();
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT + (network.fabric().has(Fault.PRV_3) ? 1 : 0);
    }

    @Override
    public List<ConfigOption> options()
    {
        return List.of(LABEL);
    }

    @Override
    public Availability probe(final TransportConfig config)
    {
        try
        {
            check(config);
        }
        catch (final ConfigurationException ex)
        {
            if (network.fabric().has(Fault.PRV_5))
            {
                throw ex;
            }

            return new Availability.Unavailable(ex.getMessage(), ex);
        }

        return new Availability.Available(network.fabric().capabilities(
            network, network.fabric().has(Fault.PRV_6) ? "probed" : config.text(LABEL)));
    }

    @Override
    public Transport open(final TransportConfig config)
    {
        if (!network.fabric().has(Fault.PRV_4))
        {
            check(config);
        }

        return network.fabric().open(network, config);
    }

    private void check(final TransportConfig config)
    {
        config.refuseUnknownOptions(name(), options());
        if (config.worldSize() != network.fabric().worldSize())
        {
            throw new ConfigurationException("world size = " + config.worldSize() +
                " is not allowed: must be that of the fabric, " + network.fabric().worldSize());
        }
    }
}
