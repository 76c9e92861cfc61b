/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The stepping transport for a process that knows only the name of a class: options say which seed and which fault.
 * All ranks of a world must be opened in one process, beginning with rank 0.
 */
public final class SteppingElsewhere implements TransportProvider
{
    private static final ConfigOption SEED = new ConfigOption("seed", "1", "a number", "seed of the fabric");
    private static final ConfigOption FAULT =
        new ConfigOption("fault", "none", "a fault, or none", "what the transport does wrong");

    private static SteppingFabric fabric;

    /** For the process that runs it. */
    public SteppingElsewhere()
    {
    }

    @Override
    public String name()
    {
        return SteppingFabric.DEFAULT_NAME;
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    public List<ConfigOption> options()
    {
        final List<ConfigOption> all = new ArrayList<>(List.of(SEED, FAULT));
        all.addAll(fabric(TransportConfig.builder().build()).provider().options());
        return all;
    }

    @Override
    public Availability probe(final TransportConfig config)
    {
        return fabric(config).provider().probe(stripped(config));
    }

    @Override
    public Transport open(final TransportConfig config)
    {
        synchronized (SteppingElsewhere.class)
        {
            if (0 == config.rank())
            {
                fabric = fabric(config);
            }

            return fabric.provider().open(stripped(config));
        }
    }

    private static SteppingFabric fabric(final TransportConfig config)
    {
        final long seed = Long.parseLong(config.text(SEED));
        final SteppingOptions options = SteppingOptions.opaque();
        return "none".equals(config.text(FAULT)) ? new SteppingFabric(seed, config.worldSize(), options) :
            new SteppingFabric(seed, config.worldSize(), options, Fault.valueOf(config.text(FAULT)));
    }

    private static TransportConfig stripped(final TransportConfig config)
    {
        final Map<String, String> options = new HashMap<>(config.options());
        options.remove(SEED.key());
        options.remove(FAULT.key());
        return TransportConfig.builder()
            .rank(config.rank())
            .worldSize(config.worldSize())
            .incarnation(config.incarnation())
            .livenessTimeoutNs(config.livenessTimeoutNs())
            .options(options)
            .build();
    }
}
