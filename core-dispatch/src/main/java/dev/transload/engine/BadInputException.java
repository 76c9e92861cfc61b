/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Thrown if a call cannot accept its input, before any data is sent. The message names the wrong value, its place and
 * the allowed values.
 */
public final class BadInputException extends IllegalArgumentException
{
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception with a message.
     *
     * @param message one sentence that names the wrong value, its place and the allowed values.
     */
    public BadInputException(final String message)
    {
        super(message);
    }
}
