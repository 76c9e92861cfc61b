/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Thrown if a peer is dead or unreachable. All channels to the peer have failed for good. */
public final class PeerFailedException extends TransportException
{
    private static final long serialVersionUID = 1L;

    private final int peer;
    private final long incarnation;

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
        this(peer, 0, message, nativeStatus, cause);
    }

    /**
     * Creates the exception for a known process of the peer.
     *
     * @param peer         rank that failed.
     * @param incarnation  {@link TransportConfig#incarnation()} of the peer, or 0 if it is not known.
     * @param message      one sentence that names the transport and the peer, and says how the failure was detected.
     * @param nativeStatus status of the native library, or {@link #NO_STATUS}.
     * @param cause        cause of the failure, or null.
     */
    public PeerFailedException(
        final int peer, final long incarnation, final String message, final int nativeStatus, final Throwable cause)
    {
        super(message, nativeStatus, cause);
        this.peer = peer;
        this.incarnation = incarnation;
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

    /**
     * Returns which process of the rank failed. Another one may have taken its place.
     *
     * @return incarnation, or 0 if it is not known.
     */
    public long incarnation()
    {
        return incarnation;
    }
}
