/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportProvider;
import dev.transload.tck.ConformanceFixture;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** A provider of the class path, with the options that are configured and the devices that were asked for. */
final class CommandFixture implements ConformanceFixture
{
    private final TransportProvider provider;
    private final Map<String, String> options;
    private final List<Integer> devices;
    private final Map<String, String> kernelOptions;

    CommandFixture(
        final TransportProvider provider,
        final Map<String, String> options,
        final List<Integer> devices,
        final Map<String, String> kernelOptions)
    {
        this.provider = provider;
        this.options = options;
        this.devices = devices;
        this.kernelOptions = kernelOptions;
    }

    @Override
    public TransportProvider provider()
    {
        return provider;
    }

    @Override
    public Map<String, String> options(final int rank)
    {
        return options;
    }

    @Override
    public int device(final MemoryKind kind, final int rank)
    {
        return kind.isHost() || devices.isEmpty() ? 0 : devices.get(rank % devices.size());
    }

    @Override
    public RowKernels kernels(final MemoryKind kind, final int rank)
    {
        for (final RowKernelsProvider kernels : ServiceLoader.load(RowKernelsProvider.class))
        {
            if (kernels.kind().equals(kind) && null == kernels.unavailableBecause())
            {
                return kernels.open(device(kind, rank), kernelOptions);
            }
        }

        return null;
    }
}
