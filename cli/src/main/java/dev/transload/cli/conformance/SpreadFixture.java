/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import dev.transload.cli.settings.DealtDevices;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportProvider;
import dev.transload.tck.processes.ProcessesFixture;
import java.util.Map;

/** Each rank but the first in a JVM of its own, so that ranks can be killed. */
final class SpreadFixture extends ProcessesFixture
{
    private final TransportProvider provider;
    private final DealtDevices devices;

    SpreadFixture(final TransportProvider provider, final DealtDevices devices)
    {
        super(provider.getClass(), devices.config().optionsOf(provider.name()));
        this.provider = provider;
        this.devices = devices;
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
