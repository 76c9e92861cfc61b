/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.List;

/** A provider that jars of tests bring; it is not available. */
public final class CarrierProvider implements TransportProvider
{
    /** For the service loader. */
    public CarrierProvider()
    {
    }

    @Override
    public String name()
    {
        return "carrier";
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
        return new Availability.Unavailable("it has no fabric", null);
    }

    @Override
    public Transport open(final TransportConfig config)
    {
        throw new TransportUnavailableException("it has no fabric", null);
    }
}
