/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.transport.base.MappedFile;
import io.aeron.AeronVersion;
import java.util.EnumSet;
import java.util.Set;

/** The promise of a configuration: the same when probed and when opened. */
final class AeronCapabilities
{
    private static final int MAX_WORKERS = 256;

    private AeronCapabilities()
    {
    }

    static Capabilities of(final AeronOptions options)
    {
        final EnumSet<Capability> optional =
            EnumSet.of(Capability.REGION_ATOMICS, Capability.SHARED_SIGNALS, Capability.AUTONOMOUS_TARGET);
        if (options.mayMap())
        {
            optional.add(Capability.WINDOWS);
        }

        if (options.maySend() && !options.isExternal())
        {
            optional.add(Capability.INTER_NODE);
        }

        return new Capabilities(
            AeronOptions.TRANSPORT,
            "Aeron " + AeronVersion.VERSION,
            optional,
            Set.of(MemoryKind.HOST),
            options.maySend() ? AtomicScope.TRANSPORT : AtomicScope.SYSTEM,
            MAX_WORKERS,
            MappedFile.MAX_LENGTH,
            MappedFile.MAX_LENGTH,
            1);
    }
}
