/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.transport.base.MappedFile;
import io.aeron.AeronVersion;

/** The promise of a configuration: the same when probed and when opened. */
final class AeronCapabilities
{
    private static final int MAX_WORKERS = 256;

    private AeronCapabilities()
    {
    }

    static Capabilities of(final AeronOptions options)
    {
        final Capabilities.Builder promise = Capabilities
            .builder(AeronOptions.TRANSPORT, "Aeron " + AeronVersion.VERSION, MappedFile.MAX_LENGTH)
            .regionAtomics(options.maySend() ? AtomicScope.TRANSPORT : AtomicScope.SYSTEM)
            .with(Capability.SHARED_SIGNALS, Capability.AUTONOMOUS_TARGET)
            .maxWorkers(MAX_WORKERS);
        if (options.mayMap())
        {
            promise.with(Capability.WINDOWS);
        }

        if (options.maySend() && !options.isExternal())
        {
            promise.with(Capability.INTER_NODE);
        }

        return promise.build();
    }
}
