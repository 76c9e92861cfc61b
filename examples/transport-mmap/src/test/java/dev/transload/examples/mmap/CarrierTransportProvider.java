/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractTransportProvider;
import dev.transload.transport.base.HostResources;
import dev.transload.transport.base.MappedFile;

/** Provider of a transport whose operations are done later; WRITING-A-TRANSPORT.md shows its channel and options. */
public final class CarrierTransportProvider extends AbstractTransportProvider
{
    static final String NAME = "carrier";

    private static final int MAX_WORKERS = 64;

    /** For the service loader. */
    public CarrierTransportProvider()
    {
        super(NAME, CarrierOptions.ALL);
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    /** Without WINDOWS, since what is stored through a window does not pass the link. */
    @Override
    protected Capabilities promise(final TransportConfig config)
    {
        final CarrierOptions options = CarrierOptions.of(config);
        MappedFile.directoryIn(config, NAME);
        return Capabilities.builder(NAME, "mapped files, " + options.rate() + " bytes/s", MappedFile.MAX_LENGTH)
            .regionAtomics(AtomicScope.SYSTEM)
            .with(Capability.SHARED_SIGNALS, Capability.AUTONOMOUS_TARGET)
            .maxWorkers(MAX_WORKERS)
            .build();
    }

    @Override
    protected Transport openTransport(final TransportConfig config)
    {
        return HostResources.open(NAME, config, MappedFile.directoryIn(config, NAME))
            .into((resources) ->
                new CarrierTransport(config, promise(config), resources, CarrierOptions.of(config)));
    }
}
