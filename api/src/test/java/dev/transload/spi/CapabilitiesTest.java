/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a builder promises. */
class CapabilitiesTest
{
    @Test
    void shouldPromiseLittleByDefault()
    {
        assertEquals(
            new Capabilities("carrier", "1", Set.of(), Set.of(MemoryKind.HOST), Set.of(), AtomicScope.NONE, 1, 64, 64,
                1),
            Capabilities.builder("carrier", "1", 64).build());
    }

    @Test
    void shouldSetTogetherWhatBelongsTogether()
    {
        final Capabilities promised = Capabilities.builder("carrier", "1", 1 << 20)
            .kinds(MemoryKind.HOST, MemoryKind.CUDA)
            .registerRemote(MemoryKind.CUDA)
            .regionAtomics(AtomicScope.TRANSPORT)
            .with(Capability.WINDOWS)
            .maxWorkers(3)
            .maxPutLength(1 << 16)
            .offsetAlignment(4)
            .build();
        assertEquals(new Capabilities("carrier", "1",
            Set.of(Capability.REGISTER_REMOTE, Capability.REGION_ATOMICS, Capability.WINDOWS),
            Set.of(MemoryKind.HOST, MemoryKind.CUDA), Set.of(MemoryKind.CUDA), AtomicScope.TRANSPORT, 3, 1 << 20,
            1 << 16, 4), promised);
    }

    @Test
    void shouldRefuseHalfOfAPromise()
    {
        final Exception refused = assertThrows(IllegalArgumentException.class,
            () -> Capabilities.builder("carrier", "1", 64).with(Capability.REGION_ATOMICS));
        assertTrue(refused.getMessage().contains("regionAtomics(scope)"), refused.getMessage());
        assertThrows(IllegalArgumentException.class,
            () -> Capabilities.builder("carrier", "1", 64).with(Capability.REGISTER_REMOTE));
    }
}
