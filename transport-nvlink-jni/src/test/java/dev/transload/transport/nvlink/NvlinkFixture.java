/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.InProcessFixture;

import java.util.Map;

/** All ranks in this JVM, on the emulator, in turn on its devices. */
final class NvlinkFixture extends InProcessFixture
{
    NvlinkFixture(final Map<String, String> options)
    {
        super(new NvlinkTransportProvider(), options, (transport) -> ((NvlinkTransport)transport).halt());
    }

    @Override
    public int device(final MemoryKind kind, final int rank)
    {
        return kind.isHost() ? 0 : rank % Emulator.DEVICES;
    }

    @Override
    public RowKernels kernels(final MemoryKind kind, final int rank)
    {
        return kind.isHost() ? null : new CudaRowKernelsProvider().open(device(kind, rank), options(rank));
    }
}
