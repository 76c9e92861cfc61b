/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PeerIdentityTest
{
    private static final byte[] CONTACT = new byte[PeerIdentity.MAX_CONTACT_LENGTH];

    static
    {
        for (int i = 0; i < CONTACT.length; i++)
        {
            CONTACT[i] = (byte)(i * 7);
        }
    }

    private final PeerIdentity identity = Ranks.identity(3, ProcessIdentity.local(), CONTACT);

    @Test
    void shouldSurviveTheJourney()
    {
        final ByteBuffer bytes = identity.encode();
        assertTrue(bytes.isReadOnly());
        final PeerIdentity decoded = PeerIdentity.decode(Ranks.TRANSPORT, "peerInfo", bytes);
        assertEquals(identity, decoded);
        assertEquals(0, bytes.remaining());
        final byte[] contact = new byte[CONTACT.length];
        decoded.contact().get(contact);
        assertArrayEquals(CONTACT, contact);
        assertEquals(CONTACT.length, decoded.contact().remaining(), "a reader moved everybody's position");
        assertTrue(decoded.contact().isReadOnly());
    }

    @Test
    void shouldKeepItsOwnCopyOfTheContact()
    {
        final byte[] bytes = {1, 2, 3};
        final PeerIdentity copied = Ranks.identity(0, ProcessIdentity.local(), bytes);
        bytes[0] = 9;
        assertEquals(1, copied.contact().get());
    }

    @Test
    void shouldRefuseAnotherTransportsIdentityByName()
    {
        final IllegalArgumentException thrown = assertThrows(IllegalArgumentException.class,
            () -> PeerIdentity.decode("pigeon", "peerInfo", identity.encode()));
        assertTrue(thrown.getMessage().startsWith("peerInfo is not one of transport pigeon"), thrown.getMessage());
    }

    @Test
    void shouldRefuseWhatIsCutShort()
    {
        final ByteBuffer whole = identity.encode();
        for (int length = 0; length < whole.remaining(); length++)
        {
            final ByteBuffer part = whole.duplicate().limit(length);
            final IllegalArgumentException thrown = assertThrows(IllegalArgumentException.class,
                () -> PeerIdentity.decode(Ranks.TRANSPORT, "peerInfo", part), "length " + length);
            assertTrue(thrown.getMessage().contains(Ranks.TRANSPORT), thrown.getMessage());
        }
    }

    @Test
    void shouldRefuseAContactThatIsTooLong()
    {
        final byte[] longer = new byte[PeerIdentity.MAX_CONTACT_LENGTH + 1];
        final IllegalArgumentException thrown = assertThrows(IllegalArgumentException.class,
            () -> Ranks.identity(0, ProcessIdentity.local(), longer));
        assertTrue(thrown.getMessage().contains("3072"), thrown.getMessage());
    }

    @Test
    void shouldBeShortWithoutContact()
    {
        final PeerIdentity brief = identity.withoutContact();
        assertTrue(brief.isSame(identity));
        assertEquals(0, brief.contact().remaining());
        assertEquals(identity.encode().remaining() - CONTACT.length, brief.encode().remaining());
        assertFalse(brief.isSame(Ranks.identity(3)));
    }

    @Test
    void shouldDescribeItselfWithoutItsToken()
    {
        assertEquals("rank 3 (incarnation 1, process " + identity.process().pid() + ", dock 3)", identity.describe());
        assertFalse(identity.toString().contains(Long.toString(identity.token())), identity.toString());
    }

    @Test
    void shouldFindAWorker()
    {
        final WorkerAddress address = new WorkerAddress(5, identity);
        final ByteBuffer bytes = address.encode();
        assertEquals(address, WorkerAddress.decode(Ranks.TRANSPORT, bytes));
        assertTrue(bytes.remaining() <= 4096, "the SPI allows 4 KiB");
        assertThrows(IllegalArgumentException.class,
            () -> WorkerAddress.decode(Ranks.TRANSPORT, ByteBuffer.allocate(3)));
    }
}
