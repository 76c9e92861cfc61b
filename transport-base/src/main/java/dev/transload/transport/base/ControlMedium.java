/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import org.agrona.DirectBuffer;

/**
 * Carries control messages between ranks. Messages arrive complete, in order for each pair of ranks, and at most once.
 * Except for {@link #isClosed()} and {@link #close()}, only the transport's thread calls these methods.
 */
public interface ControlMedium extends AutoCloseable
{
    /** Receives messages from peers. */
    @FunctionalInterface
    interface MessageHandler
    {
        /** Return value for a message that was ignored or refused, such as a message of an unknown or failed sender. */
        long NO_PEER = 0;

        /**
         * Handles one message. The handler must read the bytes before it returns.
         *
         * @param buffer buffer that contains the message.
         * @param offset byte offset of the message in the buffer.
         * @param length length of the message in bytes.
         * @return transport ID of the sender, so that the medium knows to which peer the stream of the message belongs;
         *         {@link #NO_PEER} if the message was ignored or refused.
         */
        long onMessage(DirectBuffer buffer, int offset, int length);
    }

    /**
     * Lets the underlying library make progress. This method never blocks.
     *
     * @return amount of work done. A positive amount keeps the thread awake only while channels are connecting, while
     *         {@link ControlHooks#isBusy()} returns true, or just after requests or inbound operations of peers.
     */
    int drive();

    /**
     * Passes received messages to a handler. This method never blocks.
     *
     * @param handler handler of messages.
     * @param limit   largest number of messages to pass.
     * @return number of messages passed.
     */
    int poll(MessageHandler handler, int limit);

    /**
     * Opens a stream to a peer.
     *
     * @param peer identity of the peer. The contact in the identity says how to reach the peer.
     * @return the stream, which might not accept messages at first.
     * @throws RuntimeException if the stream cannot be opened; the peer then fails with the exception's message as
     *                          the reason.
     */
    ControlStream open(PeerIdentity peer);

    /**
     * Returns whether the medium has failed or was closed. A closed medium sends and receives no messages.
     *
     * @return true if the medium has failed or was closed.
     */
    boolean isClosed();

    /**
     * Returns why the medium failed.
     *
     * @return reason as a clause, such as <i>the media driver is gone</i>.
     */
    String closedReason();

    /**
     * Closes the medium. This method is called once: by the transport's thread, or by another thread after the
     * transport's thread has ended.
     */
    @Override
    void close();
}
