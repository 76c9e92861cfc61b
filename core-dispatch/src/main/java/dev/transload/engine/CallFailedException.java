/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** A call failed, and with it the engine: the rings' generation is retired, later calls are refused with the cause. */
public class CallFailedException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /** Why a call failed. */
    public enum Reason
    {
        /** A peer is dead or unreachable. If the survivors agreed on who is left: {@link GroupChangedException}. */
        PEER_FAILED,
        /** The deadline passed; nobody is known to be dead. */
        DEADLINE,
        /** Ranks made different calls. */
        MISMATCH,
        /** Another rank gave up and said why. */
        ABORTED_BY_PEER,
        /** A transport or the engine itself failed on this rank. */
        INTERNAL,
        /** Top-k on a device, which is only looked at when its call starts, was wrong on this rank. */
        BAD_INPUT,
        /** An earlier call failed, or the engine was closed. */
        RETIRED,
        /** The other ranks left this one out: {@link EvictedException}. */
        EVICTED
    }

    private final Reason reason;
    private final int peer;

    /**
     * With all there is.
     *
     * @param reason  kind of failure.
     * @param peer    rank it is about, −1 for none.
     * @param message one sentence that names ranks, channel, counter, expected and seen as far as they apply.
     * @param cause   or null.
     */
    public CallFailedException(final Reason reason, final int peer, final String message, final Throwable cause)
    {
        super(message, cause);
        this.reason = reason;
        this.peer = peer;
    }

    /**
     * The same failure, to be thrown in another place.
     *
     * @return exception with this one as its cause.
     */
    public CallFailedException again()
    {
        return new CallFailedException(reason, peer, getMessage(), this);
    }

    /**
     * Kind of failure.
     *
     * @return reason.
     */
    public Reason reason()
    {
        return reason;
    }

    /**
     * Rank it is about.
     *
     * @return rank, −1 for none.
     */
    public int peer()
    {
        return peer;
    }
}
