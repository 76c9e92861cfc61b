/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import dev.transload.cli.settings.DealtDevices;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportProvider;
import dev.transload.tck.ConformanceFixture;
import java.util.Map;

/** All ranks in this JVM: a provider of the class path, with the options that are configured. */
final class CommandFixture implements ConformanceFixture
{
    private final TransportProvider provider;
    private final DealtDevices devices;

    CommandFixture(final TransportProvider provider, final DealtDevices devices)
    {
        this.provider = provider;
        this.devices = devices;
    }

    @Override
    public TransportProvider provider()
    {
        return provider;
    }

    @Override
    public Map<String, String> options(final int rank)
    {
        return devices.options(provider, rank);
    }

    @Override
    public int device(final MemoryKind kind, final int rank)
    {
        return devices.of(kind, rank);
    }

    @Override
    public RowKernels kernels(final MemoryKind kind, final int rank)
    {
        return devices.kernels(kind, rank);
    }
}
