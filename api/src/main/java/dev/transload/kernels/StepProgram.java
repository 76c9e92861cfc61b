/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.util.List;

/**
 * Primitives in the order in which a submission does them, ready to be submitted to the session that compiled them.
 * A dispatch begins with BUCKET; a combine has a REDUCE and belongs to the dispatch that the session did last.
 */
public interface StepProgram
{
    /** A dispatch between near ranks, each row placed by its source. */
    List<StepOp> DISPATCH = List.of(
        StepOp.BUCKET, StepOp.COUNTS, StepOp.STARTS, StepOp.PLACE, StepOp.TELL, StepOp.AWAIT);

    /** The same with far ranks. */
    List<StepOp> FAR_DISPATCH = List.of(
        StepOp.BUCKET, StepOp.COUNTS, StepOp.SEND_FAR, StepOp.STARTS, StepOp.PLACE, StepOp.TELL, StepOp.AWAIT,
        StepOp.PACK);

    /** Sending half of a dispatch through slots, which waits for nobody. */
    List<StepOp> SEND = List.of(StepOp.BUCKET, StepOp.COUNTS, StepOp.PLACE, StepOp.TELL);

    /** Sending half of a dispatch through slots, with far ranks. */
    List<StepOp> FAR_SEND = List.of(StepOp.BUCKET, StepOp.COUNTS, StepOp.SEND_FAR, StepOp.PLACE, StepOp.TELL);

    /** Receiving half of a dispatch through slots. */
    List<StepOp> RECEIVE = List.of(StepOp.AWAIT, StepOp.PACK);

    /** A combine between near ranks. */
    List<StepOp> COMBINE = List.of(StepOp.TELL, StepOp.AWAIT, StepOp.REDUCE, StepOp.TELL, StepOp.AWAIT);

    /** The same with far ranks. */
    List<StepOp> FAR_COMBINE = List.of(
        StepOp.SEND_FAR, StepOp.TELL, StepOp.AWAIT, StepOp.REDUCE, StepOp.TELL, StepOp.AWAIT);

    /**
     * Sending half of a combine that pushes answers to all other ranks, near ones too, and waits for nobody; behind a
     * dispatch whose rows passed through slots. An implementation may refuse it.
     */
    List<StepOp> ANSWER = List.of(StepOp.SEND_FAR, StepOp.TELL);

    /** Receiving half of a combine whose answers were pushed by {@link #ANSWER}. */
    List<StepOp> SUM = List.of(StepOp.AWAIT, StepOp.REDUCE);

    /** Those of the above that every implementation compiles where its world has what they need. */
    List<List<StepOp>> KNOWN = List.of(DISPATCH, FAR_DISPATCH, SEND, FAR_SEND, RECEIVE, COMBINE, FAR_COMBINE);

    /**
     * What it does.
     *
     * @return primitives in order.
     */
    List<StepOp> ops();
}
