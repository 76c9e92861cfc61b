/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import java.util.List;

/** A provider that differs from another one in what it opens. */
public interface WrappedProvider extends TransportProvider
{
    /** The other one. */
    TransportProvider whole();

    @Override
    default String name()
    {
        return whole().name();
    }

    @Override
    default int spiVersion()
    {
        return whole().spiVersion();
    }

    @Override
    default List<ConfigOption> options()
    {
        return whole().options();
    }

    @Override
    default Availability probe(final TransportConfig config)
    {
        return whole().probe(config);
    }
}
