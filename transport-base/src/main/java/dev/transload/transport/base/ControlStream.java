/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import org.agrona.DirectBuffer;

/** Control messages to one life of one peer, in order; on the transport's thread alone. */
public interface ControlStream extends AutoCloseable
{
    /**
     * Send a message, if that can be done now. Never blocks.
     *
     * @param message all of it, in direct memory, never changed afterwards: it may be sent from where it lies, as long
     *                as the sender refers to it.
     * @return true when it is on its way, false when it must be offered again later: the stream is not made yet, not
     * connected, or has no room.
     * @throws RuntimeException when it can never be sent; the peer then counts as failed, for the exception's reason.
     */
    boolean offer(DirectBuffer message);

    /** Send nothing more. Idempotent; never blocks. */
    @Override
    void close();
}
