/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import java.util.Map;

/** Row kernels of the loopback network's device memory: those of host memory, over the same bytes. */
public final class LoopbackKernelsProvider implements RowKernelsProvider
{
    private static final Map<String, String> SCALAR = Map.of("mode", "scalar");

    private final RowKernelsProvider host = new HostRowKernelsProvider();

    @Override
    public MemoryKind kind()
    {
        return LoopbackNetwork.DEVICE;
    }

    @Override
    public String section()
    {
        return LoopbackNetwork.NAME;
    }

    @Override
    public int devices(final Map<String, String> options)
    {
        return 1;
    }

    @Override
    public String unavailableBecause(final Map<String, String> options)
    {
        return null;
    }

    @Override
    public RowKernels open(final int device, final Map<String, String> options)
    {
        return new LoopbackKernels(host.open(0, SCALAR));
    }
}
