/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Bad configuration, found before anything was opened; the message names key, value and what is allowed. */
public final class ConfigurationException extends TransportException
{
    private static final long serialVersionUID = 1L;

    /**
     * With a message.
     *
     * @param message one sentence.
     */
    public ConfigurationException(final String message)
    {
        super(message, NO_STATUS, null);
    }

    /**
     * With a cause.
     *
     * @param message one sentence.
     * @param cause   what was thrown.
     */
    public ConfigurationException(final String message, final Throwable cause)
    {
        super(message, NO_STATUS, cause);
    }
}
