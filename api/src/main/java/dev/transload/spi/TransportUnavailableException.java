/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** A transport or a resource that it needs (library, device, port, shared memory) is not to be had on this host. */
public final class TransportUnavailableException extends TransportException
{
    private static final long serialVersionUID = 1L;

    /**
     * Without a cause.
     *
     * @param message one sentence: what is missing and what would bring it.
     */
    public TransportUnavailableException(final String message)
    {
        this(message, null);
    }

    /**
     * With a cause.
     *
     * @param message one sentence: what is missing and what would bring it.
     * @param cause   or null.
     */
    public TransportUnavailableException(final String message, final Throwable cause)
    {
        super(message, NO_STATUS, cause);
    }
}
