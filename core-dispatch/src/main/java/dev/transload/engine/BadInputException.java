/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Thrown if the input of a call is not allowed. The call has then sent no data. The message names the wrong value, its
 * place and the allowed values.
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
