/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import java.util.EnumSet;
import java.util.Set;

/** The promise of a configuration on this host: the same when probed and when opened. */
final class UcxCapabilities
{
    /**
     * UCX may reach memory of devices, but its writes are not ordered against what the device reads (rule ORD-3), and
     * no such memory was ever at hand: the engine stages rows of devices.
     */
    private static final Set<MemoryKind> KINDS = Set.of(MemoryKind.HOST);
    private static final int MAX_WORKERS = 256;
    private static final long MAX_LENGTH = 1L << 40;

    private UcxCapabilities()
    {
    }

    static Capabilities of(final UcxContext context, final UcxOptions options)
    {
        final EnumSet<Capability> optional = EnumSet.of(Capability.REGISTER_REMOTE,
            Capability.AUTONOMOUS_TARGET);
        AtomicScope scope = AtomicScope.NONE;
        if (context.addsByUcx(options))
        {
            optional.add(Capability.REGION_ATOMICS);
            optional.add(Capability.SHARED_SIGNALS);
            scope = NetworkCards.areAddsByCpu(options, context.selection()) ? AtomicScope.SYSTEM :
                AtomicScope.TRANSPORT;
        }

        if (context.calls().hasNativeRows())
        {
            optional.add(Capability.NATIVE_ROWS);
        }

        if (MemoryMapper.isPossible(context, options))
        {
            optional.add(Capability.WINDOWS);
        }

        if (context.selection().hasNetwork())
        {
            optional.add(Capability.INTER_NODE);
        }

        return new Capabilities(
            UcxOptions.TRANSPORT,
            context.library().versions().toString(),
            optional,
            KINDS,
            scope,
            MAX_WORKERS,
            MAX_LENGTH,
            MAX_LENGTH,
            1);
    }
}
