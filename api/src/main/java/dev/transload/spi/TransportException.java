/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Root of failures on cold paths; its message is one sentence that names transport, operation, ranks and values. */
public class TransportException extends RuntimeException
{
    /** No native status applies. */
    public static final int NO_STATUS = 0;

    private static final long serialVersionUID = 1L;

    private final int nativeStatus;

    /**
     * With all there is.
     *
     * @param message      one sentence.
     * @param nativeStatus of the library or {@link #NO_STATUS}.
     * @param cause        or null.
     */
    public TransportException(final String message, final int nativeStatus, final Throwable cause)
    {
        super(message, cause);
        this.nativeStatus = nativeStatus;
    }

    /**
     * Status of the library underneath.
     *
     * @return status or {@link #NO_STATUS}.
     */
    public int nativeStatus()
    {
        return nativeStatus;
    }
}
