/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Thrown if a peer is dead or unreachable. All channels to the peer have failed for good. */
public final class PeerFailedException extends TransportException
{
    private static final long serialVersionUID = 1L;

    private final int peer;

    /**
     * Creates the exception with all of its values.
     *
     * @param peer         rank that failed.
     * @param message      one sentence that names the transport and the peer, and says how the failure was detected.
     * @param nativeStatus status of the native library, or {@link #NO_STATUS}.
     * @param cause        cause of the failure, or null.
     */
    public PeerFailedException(final int peer, final String message, final int nativeStatus, final Throwable cause)
    {
        super(message, nativeStatus, cause);
        this.peer = peer;
    }

    /**
     * Returns the rank that failed.
     *
     * @return rank.
     */
    public int peer()
    {
        return peer;
    }
}
