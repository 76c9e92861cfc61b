/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class MemoryKeyTest
{
    private static final int LONGEST = 512;

    @Test
    void shouldTravelAsAddressKindAndKey()
    {
        final ByteBuffer key = ByteBuffer.allocateDirect(LONGEST);
        key.put(0, (byte)1).put(LONGEST - 1, (byte)2);
        final MemoryKey decoded = MemoryKey.decode(new MemoryKey(0x1122334455667788L, 1, -3, key).encode());
        assertEquals(0x1122334455667788L, decoded.address());
        assertEquals(1, decoded.type());
        assertEquals(-3, decoded.setup());
        assertEquals(key, decoded.remoteKey());
        assertTrue(decoded.remoteKey().isDirect(), "UCX reads direct memory only");
    }

    @Test
    void shouldRefuseAKeyThatNoDescriptorHolds()
    {
        final MemoryKey key = new MemoryKey(1, 0, 0, ByteBuffer.allocateDirect(LONGEST + 1));
        assertEquals("a remote key of UCX has 513 bytes, at most 512 fit a descriptor: let UCX use fewer devices by " +
            "transload.ucx.net-devices or transload.ucx.tls",
            assertThrows(IllegalStateException.class, key::encode).getMessage());
    }

    @Test
    void shouldRefuseWhatIsCutShort()
    {
        assertEquals("descriptor is cut short: it is not one of transport ucx",
            assertThrows(IllegalArgumentException.class, () -> MemoryKey.decode(ByteBuffer.allocate(15))).getMessage());
    }
}
