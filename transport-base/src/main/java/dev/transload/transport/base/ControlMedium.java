/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import org.agrona.DirectBuffer;

/**
 * Carries control messages between ranks: whole, in order from one rank to another, and at most once. All but
 * {@link #isClosed()} and {@link #close()} is called by the transport's thread alone.
 */
public interface ControlMedium extends AutoCloseable
{
    /** Hears what peers send. */
    @FunctionalInterface
    interface MessageHandler
    {
        /** What is returned for a message of nobody that is connected to. */
        long NO_PEER = 0;

        /**
         * A message has come. Its bytes are read before this returns.
         *
         * @param buffer holds it.
         * @param offset of its first byte.
         * @param length in bytes.
         * @return transport id of the peer that sent it, for media that know peers by their streams, or
         * {@link #NO_PEER}.
         */
        long onMessage(DirectBuffer buffer, int offset, int length);
    }

    /**
     * Let the library underneath work. Never blocks.
     *
     * @return work done; it keeps the thread awake only while somebody waits for something.
     */
    int drive();

    /**
     * Hand over messages that have come. Never blocks.
     *
     * @param handler of messages.
     * @param limit   most messages at once.
     * @return messages handed over.
     */
    int poll(MessageHandler handler, int limit);

    /**
     * Begin a stream to a peer.
     *
     * @param peer which is reached by its contact.
     * @return the stream, which may need a while until it takes messages.
     * @throws RuntimeException when it cannot be made; the peer then counts as failed, for the exception's reason.
     */
    ControlStream open(PeerIdentity peer);

    /**
     * Whether it has broken down, or was closed: no message will come or go any more.
     *
     * @return whether it is closed.
     */
    boolean isClosed();

    /**
     * Why {@link #isClosed()} came true on its own.
     *
     * @return a clause, such as <i>the media driver is gone</i>.
     */
    String closedReason();

    /** Called once, by the transport's thread, or by another one after that has ended. */
    @Override
    void close();
}
