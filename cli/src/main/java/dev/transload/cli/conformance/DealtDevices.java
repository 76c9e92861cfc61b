/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import dev.transload.engine.EngineConfig;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.MemoryKind;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * Devices that were asked for, dealt to ranks in turn, and the kernels for them.
 *
 * @param ordinals of devices; empty for the first one of each kind.
 * @param config   with the options of row kernels.
 */
record DealtDevices(List<Integer> ordinals, EngineConfig config)
{
    int of(final MemoryKind kind, final int rank)
    {
        return kind.isHost() || ordinals.isEmpty() ? 0 : ordinals.get(rank % ordinals.size());
    }

    /** Opened anew; null where the class path has none that runs here. */
    RowKernels kernels(final MemoryKind kind, final int rank)
    {
        for (final RowKernelsProvider kernels : ServiceLoader.load(RowKernelsProvider.class))
        {
            final Map<String, String> options = config.optionsOf(kernels.section());
            if (kernels.kind().equals(kind) && null == kernels.unavailableBecause(options))
            {
                return kernels.open(of(kind, rank), options);
            }
        }

        return null;
    }
}
