/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Input that a call cannot take, found before anything moved: one sentence says what, where and what is allowed. */
public final class BadInputException extends IllegalArgumentException
{
    private static final long serialVersionUID = 1L;

    /**
     * With a message.
     *
     * @param message one sentence.
     */
    public BadInputException(final String message)
    {
        super(message);
    }
}
