/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.transport.hccs.internal.acl.AclLibrary;

/** The promise of a configuration on this host: the same when probed and when opened. */
final class HccsCapabilities
{
    private static final int MAX_WORKERS = 256;
    private static final long MAX_LENGTH = 1L << 40;

    private HccsCapabilities()
    {
    }

    static Capabilities of(final AclLibrary library)
    {
        final Capabilities.Builder promise = Capabilities
            .builder(HccsOptions.TRANSPORT, library.describe(), MAX_LENGTH)
            .kinds(MemoryKind.HOST, MemoryKind.ASCEND)
            .with(Capability.SHARED_SIGNALS, Capability.NATIVE_ROWS, Capability.AUTONOMOUS_TARGET, Capability.WINDOWS)
            .maxWorkers(MAX_WORKERS);
        if (library.isEmulated())
        {
            promise.with(Capability.EMULATED);
        }

        return promise.build();
    }
}
