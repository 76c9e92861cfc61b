/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.outcome;

/** A command cannot go on; its message is one sentence for a person. */
public final class CommandException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /**
     * With a cause.
     *
     * @param exitCode of {@link ExitCodes}.
     * @param message  one sentence: what, where, what is allowed.
     * @param cause    or null.
     */
    public CommandException(final int exitCode, final String message, final Throwable cause)
    {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /**
     * Bad usage or input.
     *
     * @param message one sentence: what, where, what is allowed.
     * @return exception to throw.
     */
    public static CommandException badInput(final String message)
    {
        return new CommandException(ExitCodes.BAD_INPUT, message, null);
    }

    /**
     * Bad usage or input, with a cause.
     *
     * @param message one sentence: what, where, what is allowed.
     * @param cause   what was thrown.
     * @return exception to throw.
     */
    public static CommandException badInput(final String message, final Throwable cause)
    {
        return new CommandException(ExitCodes.BAD_INPUT, message, cause);
    }

    /** Code to exit with. */
    public int exitCode()
    {
        return exitCode;
    }
}
