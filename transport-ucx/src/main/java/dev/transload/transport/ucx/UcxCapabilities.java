/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;

/** The promise of a configuration on this host: the same when probed and when opened. */
final class UcxCapabilities
{
    /**
     * UCX may reach memory of devices, but its writes are not ordered against what the device reads (rule ORD-3), and
     * no such memory was ever at hand: the engine stages rows of devices.
     */
    private static final MemoryKind KIND = MemoryKind.HOST;
    private static final int MAX_WORKERS = 256;
    private static final long MAX_LENGTH = 1L << 40;

    private UcxCapabilities()
    {
    }

    static Capabilities of(final UcxContext context, final UcxOptions options)
    {
        final Capabilities.Builder promise = Capabilities
            .builder(UcxOptions.TRANSPORT, context.library().versions().toString(), MAX_LENGTH)
            .kinds(KIND)
            .registerRemote(KIND)
            .with(Capability.AUTONOMOUS_TARGET)
            .maxWorkers(MAX_WORKERS);
        if (context.addsByUcx(options))
        {
            promise.with(Capability.SHARED_SIGNALS).regionAtomics(
                NetworkCards.areAddsByCpu(options, context.selection()) ? AtomicScope.SYSTEM : AtomicScope.TRANSPORT);
        }

        if (context.calls().hasNativeRows())
        {
            promise.with(Capability.NATIVE_ROWS);
        }

        if (MemoryMapper.isPossible(context, options))
        {
            promise.with(Capability.WINDOWS);
        }

        if (context.selection().hasNetwork())
        {
            promise.with(Capability.INTER_NODE);
        }

        return promise.build();
    }
}
