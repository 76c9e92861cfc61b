/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** A peer is dead or unreachable; terminal for the channels to it. */
public final class PeerFailedException extends TransportException
{
    private static final long serialVersionUID = 1L;

    private final int peer;

    /**
     * With all there is.
     *
     * @param peer         rank that failed.
     * @param message      one sentence that names the transport, the peer and how its failure was noticed.
     * @param nativeStatus of the library or {@link #NO_STATUS}.
     * @param cause        or null.
     */
    public PeerFailedException(final int peer, final String message, final int nativeStatus, final Throwable cause)
    {
        super(message, nativeStatus, cause);
        this.peer = peer;
    }

    /**
     * Who failed.
     *
     * @return rank.
     */
    public int peer()
    {
        return peer;
    }
}
