/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;

/** Identities for tests: of this process, or of one that nobody here can see. */
final class Ranks
{
    static final String TRANSPORT = "carrier";

    private Ranks()
    {
    }

    static PeerIdentity identity(final int rank)
    {
        return identity(rank, ProcessIdentity.local(), new byte[] {(byte)rank});
    }

    /** A rank on another host, whose process cannot be looked up. */
    static PeerIdentity farIdentity(final int rank)
    {
        return identity(rank, new ProcessIdentity(1, 0, new HostIdentity("host-" + rank, "pids-" + rank)),
            new byte[] {(byte)rank});
    }

    static PeerIdentity identity(final int rank, final ProcessIdentity process, final byte[] contact)
    {
        return new PeerIdentity(TRANSPORT, rank, 1, Identifiers.random(), Identifiers.random(), process,
            "dock " + rank, ByteBuffer.wrap(contact));
    }
}
