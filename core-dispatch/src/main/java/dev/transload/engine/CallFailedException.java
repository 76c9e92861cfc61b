/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Thrown if a call failed. The engine is then retired: it refuses all later calls, with exceptions that name the same
 * cause.
 */
public class CallFailedException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /** Reason for the failure of a call. */
    public enum Reason
    {
        /**
         * A peer is dead or unreachable. If the remaining ranks agreed on a new group of ranks, the exception is a
         * {@link GroupChangedException}.
         */
        PEER_FAILED,
        /** The deadline of the call passed, and no rank is known to be dead. */
        DEADLINE,
        /** The ranks made different calls. */
        MISMATCH,
        /** Another rank failed and reported its reason to this rank. */
        ABORTED_BY_PEER,
        /** A transport or the engine itself failed on this rank. */
        INTERNAL,
        /**
         * The top-k values in device memory were wrong on this rank. The engine checks such values only when the call
         * starts. Other input is checked before: if it is wrong, {@link Engine#dispatch} throws a
         * {@link BadInputException}.
         */
        BAD_INPUT,
        /** An earlier call failed, or the engine was closed. */
        RETIRED,
        /** The other ranks removed this rank from the group; see {@link EvictedException}. */
        EVICTED
    }

    private final Reason reason;
    private final int peer;

    /**
     * Creates the exception with all of its values.
     *
     * @param reason  kind of failure.
     * @param peer    rank that the failure is about, −1 if it is about no rank.
     * @param message one sentence about the failure. If the failure is about ranks, a channel or a counter, the message
     *                names them, and the expected and the actual value of the counter.
     * @param cause   cause of the failure, or null.
     */
    public CallFailedException(final Reason reason, final int peer, final String message, final Throwable cause)
    {
        super(message, cause);
        this.reason = reason;
        this.peer = peer;
    }

    /**
     * Returns a copy of this exception that another thread or a later call can throw.
     *
     * @return copy whose cause is this exception.
     */
    public CallFailedException again()
    {
        return new CallFailedException(reason, peer, getMessage(), this);
    }

    /**
     * Returns the reason for the failure.
     *
     * @return reason.
     */
    public Reason reason()
    {
        return reason;
    }

    /**
     * Returns the rank that the failure is about.
     *
     * @return rank, −1 for none.
     */
    public int peer()
    {
        return peer;
    }
}
