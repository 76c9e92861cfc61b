/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

/** The world did not form, or broke apart; the message is one sentence for an operator. */
public final class RendezvousException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** What kind of trouble it is; callers map it to an exit code. */
    public enum Reason
    {
        /** Two processes claim one rank. */
        DUPLICATE_RANK,
        /** Ranks disagree on the size of the world, or a rank lies outside of it. */
        WORLD_MISMATCH,
        /** Ranks did not come, or did not answer, in time. */
        MISSING_RANKS,
        /** The address to listen on is taken or cannot be bound. */
        ADDRESS_UNAVAILABLE,
        /** A member was lost while it was waited for. */
        MEMBER_LOST,
        /** The others refused this rank: a wrong or missing secret. */
        REFUSED,
        /** Configuration of the rendezvous is wrong. */
        BAD_CONFIGURATION,
        /** Closed locally. */
        CLOSED
    }

    /**
     * With a cause.
     *
     * @param reason  kind of trouble.
     * @param message one sentence: what, where, what is allowed.
     * @param cause   or null.
     */
    public RendezvousException(final Reason reason, final String message, final Throwable cause)
    {
        super(message, cause);
        this.reason = reason;
    }

    /**
     * Without a cause.
     *
     * @param reason  kind of trouble.
     * @param message one sentence: what, where, what is allowed.
     */
    public RendezvousException(final Reason reason, final String message)
    {
        this(reason, message, null);
    }

    /**
     * Kind of trouble.
     *
     * @return reason.
     */
    public Reason reason()
    {
        return reason;
    }
}
