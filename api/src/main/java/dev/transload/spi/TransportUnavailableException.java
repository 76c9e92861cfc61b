/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * Thrown if a transport cannot run on this host, or if this host lacks a resource that the transport needs (library,
 * device, port, shared memory).
 */
public final class TransportUnavailableException extends TransportException
{
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception without a cause.
     *
     * @param message one sentence that names the missing part and says how to provide it.
     */
    public TransportUnavailableException(final String message)
    {
        this(message, null);
    }

    /**
     * Creates the exception with a cause.
     *
     * @param message one sentence that names the missing part and says how to provide it.
     * @param cause   cause of the failure, or null.
     */
    public TransportUnavailableException(final String message, final Throwable cause)
    {
        super(message, NO_STATUS, cause);
    }
}
