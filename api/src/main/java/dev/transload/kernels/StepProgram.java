/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.util.List;

/**
 * A list of primitives that a submission runs in order. A program can be submitted only to the session that compiled
 * it. A dispatch begins with BUCKET. A combine contains REDUCE and belongs to the latest dispatch of the session.
 */
public interface StepProgram
{
    /** A dispatch between near ranks, in which each source writes its rows to their places. */
    List<StepOp> DISPATCH = List.of(
        StepOp.BUCKET, StepOp.COUNTS, StepOp.STARTS, StepOp.PLACE, StepOp.TELL, StepOp.AWAIT);

    /** The same as {@link #DISPATCH}, for a world with far ranks. */
    List<StepOp> FAR_DISPATCH = List.of(
        StepOp.BUCKET, StepOp.COUNTS, StepOp.SEND_FAR, StepOp.STARTS, StepOp.PLACE, StepOp.TELL, StepOp.AWAIT,
        StepOp.PACK);

    /** Sending half of a dispatch through slots. The sending half waits for no rank. */
    List<StepOp> SEND = List.of(StepOp.BUCKET, StepOp.COUNTS, StepOp.PLACE, StepOp.TELL);

    /** Sending half of a dispatch through slots, for a world with far ranks. */
    List<StepOp> FAR_SEND = List.of(StepOp.BUCKET, StepOp.COUNTS, StepOp.SEND_FAR, StepOp.PLACE, StepOp.TELL);

    /** Receiving half of a dispatch through slots. */
    List<StepOp> RECEIVE = List.of(StepOp.AWAIT, StepOp.PACK);

    /** A combine between near ranks. */
    List<StepOp> COMBINE = List.of(StepOp.TELL, StepOp.AWAIT, StepOp.REDUCE, StepOp.TELL, StepOp.AWAIT);

    /** The same as {@link #COMBINE}, for a world with far ranks. */
    List<StepOp> FAR_COMBINE = List.of(
        StepOp.SEND_FAR, StepOp.TELL, StepOp.AWAIT, StepOp.REDUCE, StepOp.TELL, StepOp.AWAIT);

    /**
     * Sending half of a combine. The sending half pushes answers to all other ranks, including near ranks, and waits
     * for no rank. The combine follows a dispatch through slots. An implementation may refuse this program.
     */
    List<StepOp> ANSWER = List.of(StepOp.SEND_FAR, StepOp.TELL);

    /** Receiving half of a combine, if {@link #ANSWER} was its sending half. */
    List<StepOp> SUM = List.of(StepOp.AWAIT, StepOp.REDUCE);

    /**
     * Programs that every implementation can compile if the session has the slots or the far ranks that the program
     * needs.
     */
    List<List<StepOp>> KNOWN = List.of(DISPATCH, FAR_DISPATCH, SEND, FAR_SEND, RECEIVE, COMBINE, FAR_COMBINE);

    /**
     * Returns the primitives of this program.
     *
     * @return primitives, in order.
     */
    List<StepOp> ops();
}
