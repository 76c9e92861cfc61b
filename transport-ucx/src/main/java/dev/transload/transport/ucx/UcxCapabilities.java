/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import java.util.EnumSet;

/** The promise of a configuration on this host: the same when probed and when opened. */
final class UcxCapabilities
{
    private static final int MAX_WORKERS = 256;
    private static final long MAX_LENGTH = 1L << 40;

    private UcxCapabilities()
    {
    }

    static Capabilities of(final UcxContext context, final UcxOptions options, final boolean addsByCpu)
    {
        final EnumSet<Capability> optional = EnumSet.of(Capability.REGISTER_REMOTE, Capability.REGION_ATOMICS,
            Capability.SHARED_SIGNALS, Capability.AUTONOMOUS_TARGET);
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
            DeviceKinds.of(context.memoryTypes()),
            addsByCpu ? AtomicScope.SYSTEM : AtomicScope.TRANSPORT,
            MAX_WORKERS,
            MAX_LENGTH,
            MAX_LENGTH,
            1);
    }
}
