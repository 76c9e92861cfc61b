/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * Thrown if the configuration is wrong, before anything is opened. The message names the key, the value and the allowed
 * values.
 */
public final class ConfigurationException extends TransportException
{
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception without a cause.
     *
     * @param message one sentence.
     */
    public ConfigurationException(final String message)
    {
        super(message, NO_STATUS, null);
    }

    /**
     * Creates the exception with a cause.
     *
     * @param message one sentence.
     * @param cause   cause of the failure.
     */
    public ConfigurationException(final String message, final Throwable cause)
    {
        super(message, NO_STATUS, cause);
    }
}
