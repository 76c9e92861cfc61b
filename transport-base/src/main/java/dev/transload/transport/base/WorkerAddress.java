/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Address of a worker. Layout, little endian: index of the worker (i32), identity of the transport to which the worker
 * belongs ({@link PeerIdentity}).
 *
 * @param worker   index of the worker.
 * @param identity identity of the transport to which the worker belongs.
 */
public record WorkerAddress(int worker, PeerIdentity identity)
{
    /**
     * Encodes the address as {@link dev.transload.spi.Worker#address()} returns it.
     *
     * @return read-only bytes.
     */
    public ByteBuffer encode()
    {
        final ByteBuffer to = ByteBuffer.allocate(Integer.BYTES + PeerIdentity.MAX_LENGTH)
            .order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(worker);
        identity.encode(to);
        return PeerIdentity.copy(to.flip());
    }

    /**
     * Decodes an address.
     *
     * @param transport name of the transport that must have created the address.
     * @param bytes     encoded address.
     * @return decoded address.
     * @throws IllegalArgumentException if the bytes are not an address of this transport and this version.
     */
    public static WorkerAddress decode(final String transport, final ByteBuffer bytes)
    {
        final ByteBuffer source = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (source.remaining() < Integer.BYTES)
        {
            throw new IllegalArgumentException("peerAddress is cut short: it has " + source.remaining() + " bytes");
        }

        return new WorkerAddress(source.getInt(), PeerIdentity.decode(transport, "peerAddress", source));
    }
}
