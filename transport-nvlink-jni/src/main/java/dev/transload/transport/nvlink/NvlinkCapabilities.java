/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.transport.nvlink.cuda.CudaDevice;

import java.util.EnumSet;
import java.util.Set;

/** The promise of a configuration on this host: the same when probed and when opened. */
final class NvlinkCapabilities
{
    private static final int MAX_WORKERS = 256;
    private static final long MAX_LENGTH = 1L << 40;

    private NvlinkCapabilities()
    {
    }

    static Capabilities of(final CudaDevice device)
    {
        final EnumSet<Capability> optional = EnumSet.of(Capability.REGISTER_REMOTE, Capability.REGION_ATOMICS,
            Capability.SHARED_SIGNALS, Capability.NATIVE_ROWS, Capability.AUTONOMOUS_TARGET, Capability.WINDOWS,
            Capability.REGISTERED_WINDOWS);
        if (device.driver().isEmulated())
        {
            optional.add(Capability.EMULATED);
        }

        return new Capabilities(
            NvlinkOptions.TRANSPORT,
            device.driver().describe(),
            optional,
            Set.of(MemoryKind.HOST, MemoryKind.CUDA),
            Set.of(MemoryKind.CUDA),
            AtomicScope.TRANSPORT,
            MAX_WORKERS,
            MAX_LENGTH,
            MAX_LENGTH,
            1);
    }
}
