/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

/**
 * Thrown if the world cannot be formed, or if a formed world loses a member. The message is one sentence for an
 * operator.
 */
public final class RendezvousException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Kind of failure. The command line maps each kind to an exit code. */
    public enum Reason
    {
        /** Two processes use the same rank. */
        DUPLICATE_RANK,
        /** Ranks have different world sizes, or a rank is not in [0, world size). */
        WORLD_MISMATCH,
        /** Some ranks did not join or did not answer in time. */
        MISSING_RANKS,
        /** The address to listen on is in use or cannot be bound. */
        ADDRESS_UNAVAILABLE,
        /** A member was lost while this rank waited for it. */
        MEMBER_LOST,
        /** The other ranks refused this rank because its secret is wrong or missing. */
        REFUSED,
        /** The configuration of the rendezvous is wrong. */
        BAD_CONFIGURATION,
        /** This rank has closed its rendezvous. */
        CLOSED
    }

    /**
     * Creates the exception with a cause.
     *
     * @param reason  kind of failure.
     * @param message one sentence for an operator. If a value is wrong, the sentence names the value, the setting that
     *                has the value, and the allowed values.
     * @param cause   cause of the failure, or null.
     */
    public RendezvousException(final Reason reason, final String message, final Throwable cause)
    {
        super(message, cause);
        this.reason = reason;
    }

    /**
     * Creates the exception without a cause.
     *
     * @param reason  kind of failure.
     * @param message one sentence for an operator. If a value is wrong, the sentence names the value, the setting that
     *                has the value, and the allowed values.
     */
    public RendezvousException(final Reason reason, final String message)
    {
        this(reason, message, null);
    }

    /**
     * Returns the kind of failure.
     *
     * @return reason.
     */
    public Reason reason()
    {
        return reason;
    }
}
