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
import java.nio.file.Path;
import java.util.List;

/** Provider of the transport {@code mmap}. */
public final class MmapTransportProvider extends AbstractTransportProvider
{
    static final String NAME = "mmap";

    /** The most threads that may drive it; the engine takes one worker for each of its threads. */
    private static final int MAX_WORKERS = 64;

    /** For the service loader. */
    public MmapTransportProvider()
    {
        super(NAME, List.of(MappedFile.DIRECTORY));
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    protected Capabilities promise(final TransportConfig config)
    {
        directory(config);
        return Capabilities.builder(NAME, "mapped files", MappedFile.MAX_LENGTH)
            .regionAtomics(AtomicScope.SYSTEM)
            .with(Capability.SHARED_SIGNALS, Capability.AUTONOMOUS_TARGET, Capability.WINDOWS)
            .maxWorkers(MAX_WORKERS)
            .build();
    }

    @Override
    protected Transport openTransport(final TransportConfig config)
    {
        return HostResources.open(NAME, config, directory(config))
            .into((resources) -> new MmapTransport(config, promise(config), resources));
    }

    private Path directory(final TransportConfig config)
    {
        config.refuseUnknownOptions(NAME, options());
        return MappedFile.directoryIn(config, NAME);
    }
}
