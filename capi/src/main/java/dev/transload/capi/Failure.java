/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.CallFailedException;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportUnavailableException;
import java.nio.charset.StandardCharsets;
import org.agrona.UnsafeApi;

/** What the C library says of an exception: the numbers of {@code enum transload_status}, and one sentence. */
final class Failure
{
    private static final int BAD_INPUT = -1;
    private static final int CONFIGURATION = -2;
    private static final int UNAVAILABLE = -3;
    private static final int RENDEZVOUS = -4;
    private static final int PEER_FAILED = -5;
    private static final int DEADLINE = -6;
    private static final int MISMATCH = -7;
    private static final int ABORTED_BY_PEER = -8;
    private static final int RETIRED = -9;
    private static final int INTERNAL = -10;
    private static final int NO_PEER = -1;

    private Failure()
    {
    }

    /**
     * Write an exception's sentence.
     *
     * @param failure  that a method of this package threw.
     * @param target   address of the text, which gets UTF-8 with a 0 behind it.
     * @param capacity of the text in bytes.
     * @param peer     address of 32 bits, which get the rank that it is about, −1 for none.
     * @return status, below 0.
     */
    static int describe(final Throwable failure, final long target, final int capacity, final long peer)
    {
        final byte[] text = sentence(failure).getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, capacity - 1);
        // A character of several bytes is not cut.
        while (length < text.length && length > 0 && (text[length] & 0xC0) == 0x80)
        {
            length--;
        }

        for (int i = 0; i < length; i++)
        {
            UnsafeApi.putByte(target + i, text[i]);
        }

        UnsafeApi.putByte(target + length, (byte)0);
        UnsafeApi.putInt(peer, peer(failure));
        return status(failure);
    }

    private static String sentence(final Throwable failure)
    {
        final String message = failure.getMessage();
        return null == message || INTERNAL == status(failure) && !(failure instanceof CallFailedException) ?
            failure.toString() : message;
    }

    private static int peer(final Throwable failure)
    {
        return failure instanceof final CallFailedException call ? call.peer() :
            failure instanceof final PeerFailedException transport ? transport.peer() : NO_PEER;
    }

    private static int status(final Throwable failure)
    {
        if (failure instanceof final CallFailedException call)
        {
            return status(call.reason());
        }

        if (failure instanceof RendezvousException)
        {
            return RENDEZVOUS;
        }

        if (failure instanceof ConfigurationException)
        {
            return CONFIGURATION;
        }

        if (failure instanceof TransportUnavailableException)
        {
            return UNAVAILABLE;
        }

        if (failure instanceof PeerFailedException)
        {
            return PEER_FAILED;
        }

        return failure instanceof IllegalArgumentException || failure instanceof IllegalStateException ?
            BAD_INPUT : INTERNAL;
    }

    private static int status(final CallFailedException.Reason reason)
    {
        return switch (reason)
        {
            case PEER_FAILED, EVICTED -> PEER_FAILED;
            case DEADLINE -> DEADLINE;
            case MISMATCH -> MISMATCH;
            case ABORTED_BY_PEER -> ABORTED_BY_PEER;
            case BAD_INPUT -> BAD_INPUT;
            case RETIRED -> RETIRED;
            case INTERNAL -> INTERNAL;
        };
    }
}
