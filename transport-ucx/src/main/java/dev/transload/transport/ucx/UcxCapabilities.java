/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;

/** The promise of a configuration on this host: the same when probed and when opened. */
final class UcxCapabilities
{
    private static final int MAX_WORKERS = 256;
    private static final long MAX_LENGTH = 1L << 40;

    private UcxCapabilities()
    {
    }

    static Capabilities of(final UcxContext context, final UcxOptions options)
    {
        // All memory of a device is registered, also what others allocated.
        final MemoryKind[] kinds = context.movesDevice() ?
            new MemoryKind[]{ MemoryKind.HOST, UcxDevice.KIND } : new MemoryKind[]{ MemoryKind.HOST };
        final Capabilities.Builder promise = Capabilities
            .builder(UcxOptions.TRANSPORT, context.library().versions().toString(), MAX_LENGTH)
            .kinds(kinds)
            .registerRemote(kinds)
            .note(UcxDevice.KIND, note(context))
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

    private static String note(final UcxContext context)
    {
        return !context.device().isPresent() ? "UCX moves none itself, since transload.ucx.device = off" :
            context.movesDevice() ? context.device().way(context.selection()) : context.refusal();
    }
}
