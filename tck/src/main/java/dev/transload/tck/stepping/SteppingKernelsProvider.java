/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import java.util.Map;

/** Kernels of a fabric that belong to no rank. */
final class SteppingKernelsProvider implements RowKernelsProvider
{
    private static final int NO_RANK = -1;

    private final SteppingFabric fabric;
    private final MemoryKind kind;

    SteppingKernelsProvider(final SteppingFabric fabric, final MemoryKind kind)
    {
        this.fabric = fabric;
        this.kind = kind;
    }

    @Override
    public MemoryKind kind()
    {
        return kind;
    }

    @Override
    public String section()
    {
        return SteppingFabric.DEFAULT_NAME;
    }

    @Override
    public int devices(final Map<String, String> options)
    {
        return SteppingFabric.devices(kind);
    }

    @Override
    public String unavailableBecause(final Map<String, String> options)
    {
        return fabric.options().kinds().contains(kind) ? null :
            "the fabric has no " + kind + " memory: give it SteppingOptions.kinds that hold it";
    }

    @Override
    public RowKernels open(final int device, final Map<String, String> options)
    {
        if (!options.isEmpty())
        {
            throw new ConfigurationException("keys " + options.keySet() + " are not known: stepping kernels have none");
        }

        fabric.checkDevice(fabric.options().kinds(), kind, device);
        return new SteppingKernels(fabric, NO_RANK, kind);
    }
}
