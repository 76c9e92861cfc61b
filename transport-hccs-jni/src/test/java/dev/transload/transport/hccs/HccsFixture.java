/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.InProcessFixture;

import java.util.Map;

/** All ranks in this JVM, on the emulator, in turn on its devices. */
class HccsFixture extends InProcessFixture
{
    HccsFixture(final Map<String, String> options)
    {
        super(new HccsTransportProvider(), options, (transport) -> ((HccsTransport)transport).halt());
    }

    @Override
    public int device(final MemoryKind kind, final int rank)
    {
        return kind.isHost() ? 0 : rank % Emulator.DEVICES;
    }

    @Override
    public RowKernels kernels(final MemoryKind kind, final int rank)
    {
        return kind.isHost() ? null : new AscendRowKernelsProvider().open(device(kind, rank), options(rank));
    }
}
