/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.settings;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportUnavailableException;
import java.util.List;

/** A transport to choose besides the default one; it is found, but runs nowhere. */
public final class SecondProvider implements TransportProvider
{
    static final String NAME = "second";
    private static final String REASON = "no machine has what it needs";

    @Override
    public String name()
    {
        return NAME;
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    public List<ConfigOption> options()
    {
        return List.of();
    }

    @Override
    public Availability probe(final TransportConfig config)
    {
        return new Availability.Unavailable(REASON, null);
    }

    @Override
    public Transport open(final TransportConfig config)
    {
        throw new TransportUnavailableException(REASON, null);
    }
}
