/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where a worker is reached: its index i32, then the identity of its transport.
 *
 * @param worker   index of the worker.
 * @param identity of its transport.
 */
record WorkerAddress(int worker, PeerIdentity identity)
{
    static final int MAX_LENGTH = 4096;

    ByteBuffer encode()
    {
        final ByteBuffer to = ByteBuffer.allocate(MAX_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(worker);
        identity.encode(to);
        return PeerIdentity.bytes(to);
    }

    static WorkerAddress decode(final ByteBuffer bytes)
    {
        final ByteBuffer source = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (source.remaining() < Integer.BYTES)
        {
            throw new IllegalArgumentException("peerAddress is cut short: it has " + source.remaining() + " bytes");
        }

        return new WorkerAddress(source.getInt(), PeerIdentity.decode("peerAddress", source));
    }
}
