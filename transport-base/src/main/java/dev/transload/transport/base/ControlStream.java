/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import org.agrona.DirectBuffer;

/** Sends control messages in order to one incarnation of one peer. Only the transport's thread may use a stream. */
public interface ControlStream extends AutoCloseable
{
    /**
     * Sends a message if the stream accepts it now. This method never blocks.
     *
     * @param message complete message in direct memory. The caller must never change the message afterwards, because
     *                the stream may send it without a copy. The memory must stay allocated while the stream refers to
     *                it.
     * @return true if the message was accepted. False if the stream is not open yet, is not connected, or has no room:
     *         the caller must then offer the message again.
     * @throws RuntimeException if the message can never be sent; the peer then fails with the exception's message
     *                          as the reason.
     */
    boolean offer(DirectBuffer message);

    /** Stops sending. This method may be called several times and never blocks. */
    @Override
    void close();
}
