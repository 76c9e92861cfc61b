/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * Base class of exceptions for failures outside the hot path. The message is one sentence that names the transport, the
 * operation, the ranks and the values.
 */
public class TransportException extends RuntimeException
{
    /** Value of the native status if no native library reported a status. */
    public static final int NO_STATUS = 0;

    private static final long serialVersionUID = 1L;

    private final int nativeStatus;

    /**
     * Creates the exception with all of its values.
     *
     * @param message      one sentence.
     * @param nativeStatus status of the native library, or {@link #NO_STATUS}.
     * @param cause        cause of the failure, or null.
     */
    public TransportException(final String message, final int nativeStatus, final Throwable cause)
    {
        super(message, cause);
        this.nativeStatus = nativeStatus;
    }

    /**
     * Returns the status that the native library reported.
     *
     * @return status or {@link #NO_STATUS}.
     */
    public int nativeStatus()
    {
        return nativeStatus;
    }
}
