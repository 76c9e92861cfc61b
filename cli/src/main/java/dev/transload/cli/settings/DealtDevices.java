/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.settings;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.PayloadConfig;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportProvider;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Devices dealt to ranks in turn, and the kernels for them.
 *
 * @param ordinals of the devices that were asked for; empty for all of a kind.
 * @param config   with the options of transports and row kernels.
 */
public record DealtDevices(List<Integer> ordinals, EngineConfig config)
{
    /**
     * The device of a rank.
     *
     * @param kind of memory.
     * @param rank of one host.
     * @return ordinal, 0 for host memory.
     */
    public int of(final MemoryKind kind, final int rank)
    {
        if (kind.isHost())
        {
            return 0;
        }

        final RowKernelsProvider kernels = provider(kind);
        return !ordinals.isEmpty() ? ordinals.get(rank % ordinals.size()) :
            null == kernels ? 0 : rank % kernels.devices(config.optionsOf(kernels.section()));
    }

    /**
     * A transport that is bound to a device gets that of its rank, where devices were asked for or it brings kernels
     * that count them.
     *
     * @param provider of the transport.
     * @param rank     of one host.
     * @return options of the transport, by key.
     */
    public Map<String, String> options(final TransportProvider provider, final int rank)
    {
        final Map<String, String> options = new HashMap<>(config.optionsOf(provider.name()));
        final MemoryKind kind = KernelRegistry.discover().kindOf(provider.name());
        if (provider.options().stream().anyMatch((option) -> PayloadConfig.DEVICE_OPTION.equals(option.key())) &&
            !(kind.isHost() && ordinals.isEmpty()))
        {
            options.put(PayloadConfig.DEVICE_OPTION,
                String.valueOf(kind.isHost() ? ordinals.get(rank % ordinals.size()) : of(kind, rank)));
        }

        return options;
    }

    /**
     * Kernels for the device of a rank, opened anew.
     *
     * @param kind of memory.
     * @param rank of one host.
     * @return kernels; null where the class path has none that runs here.
     */
    public RowKernels kernels(final MemoryKind kind, final int rank)
    {
        final RowKernelsProvider kernels = provider(kind);
        return null == kernels ? null : kernels.open(of(kind, rank), config.optionsOf(kernels.section()));
    }

    private RowKernelsProvider provider(final MemoryKind kind)
    {
        return KernelRegistry.discover().available(config, kind).orElse(null);
    }
}
