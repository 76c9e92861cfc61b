/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.transport.hccs.internal.acl.AclLibrary;

import java.util.EnumSet;
import java.util.Set;

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
        final EnumSet<Capability> optional = EnumSet.of(Capability.SHARED_SIGNALS, Capability.NATIVE_ROWS,
            Capability.AUTONOMOUS_TARGET, Capability.WINDOWS);
        if (library.isEmulated())
        {
            optional.add(Capability.EMULATED);
        }

        return new Capabilities(
            HccsOptions.TRANSPORT,
            library.describe(),
            optional,
            Set.of(MemoryKind.HOST, MemoryKind.ASCEND),
            AtomicScope.NONE,
            MAX_WORKERS,
            MAX_LENGTH,
            MAX_LENGTH,
            1);
    }
}
