/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.transport.nvlink.cuda.CudaDevice;

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
        final Capabilities.Builder promise = Capabilities
            .builder(NvlinkOptions.TRANSPORT, device.driver().describe(), MAX_LENGTH)
            .kinds(MemoryKind.HOST, MemoryKind.CUDA)
            .registerRemote(MemoryKind.CUDA)
            .regionAtomics(AtomicScope.TRANSPORT)
            .with(Capability.SHARED_SIGNALS, Capability.NATIVE_ROWS, Capability.AUTONOMOUS_TARGET, Capability.WINDOWS,
                Capability.REGISTERED_WINDOWS)
            .maxWorkers(MAX_WORKERS);
        if (device.driver().isEmulated())
        {
            promise.with(Capability.EMULATED);
        }

        return promise.build();
    }
}
