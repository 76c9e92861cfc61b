/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Counters that an engine thread may wait for, in the order that {@link #isNearer} uses. */
public enum WaitCounter
{
    /** Event of the caller's device work. The caller set the event in a request, and the call waits for it. */
    EVENT("event"),
    /** Copies of top-k tensors between the payload's device and host memory. */
    TOPK("device top-k"),
    /** Notify messages sent between nodes. */
    SCALE_OUT_NOTIFY("scale-out.notify"),
    /** Notify messages sent within a node. */
    SCALE_UP_NOTIFY("scale-up.notify"),
    /** Clear-to-send messages from a rank of the same node. */
    SCALE_UP_CLEAR_TO_SEND("scale-up.clear-to-send"),
    /** Metadata blocks sent between nodes. */
    SCALE_OUT_BLOCKS("scale-out.blocks"),
    /** Metadata blocks sent within a node. */
    SCALE_UP_BLOCKS("scale-up.blocks"),
    /** Metadata blocks that were sent between nodes and that all readers have finished reading. */
    SCALE_OUT_BLOCK_HEAD("scale-out.block-head"),
    /** Metadata blocks that were sent within a node and that their reader has finished reading. */
    SCALE_UP_BLOCK_HEAD("scale-up.block-head"),
    /** Rows consumed from a scale-up ring. */
    SCALE_UP_HEAD("scale-up.head"),
    /** Rows consumed from a scale-out ring. */
    SCALE_OUT_HEAD("scale-out.head"),
    /** Rows produced into a scale-out ring. */
    SCALE_OUT_TAIL("scale-out.tail"),
    /** Rows produced into a scale-up ring. */
    SCALE_UP_TAIL("scale-up.tail"),
    /** Rows copied between the payload's memory and host memory of this rank. */
    STAGED_TAIL("staged.tail"),
    /** Operations of this rank's transport channel to a peer. */
    POSITION("channel position"),
    /** Operations of this rank's row kernels. */
    KERNELS("row kernels"),
    /** Signals by which ranks tell each other that they are done with a call, if they mask lost ranks. */
    CONFIRMATION("confirmation");

    private final String title;

    WaitCounter(final String title)
    {
        this.title = title;
    }

    /**
     * Returns the name of this counter in messages and metrics.
     *
     * @return name, e.g. {@code scale-out.tail}.
     */
    public String title()
    {
        return title;
    }

    /**
     * Returns whether a wait for this counter is nearer to the cause of a delay than a wait for another counter of the
     * same rank. A diagnosis starts at one rank and goes from rank to rank: the nearest wait of each rank names the
     * next rank. The order of the counters makes each wait on this path nearer than the wait before it, so the path
     * visits no rank twice. A counter of an earlier pipeline step is nearer, except that rows and credit have their own
     * order. In a dispatch, credit is nearer than rows: while any of the rings that a relay writes to is full, the
     * relay does not send its next chunk to any rank. In a combine, rows are nearer than credit: a full ring delays
     * only its own stream, and its slots become free when its tokens are summed. The sum for a token needs the rows of
     * all ranks that have rows of the token.
     *
     * @param than      other counter.
     * @param isCombine whether the call is a combine.
     * @return true if this counter is nearer.
     */
    public boolean isNearer(final WaitCounter than, final boolean isCombine)
    {
        return isCombine && isOfRing() && than.isOfRing() ? ordinal() > than.ordinal() : ordinal() < than.ordinal();
    }

    /** From SCALE_UP_HEAD to SCALE_UP_TAIL: a combine meets these in reverse. */
    private boolean isOfRing()
    {
        return ordinal() >= SCALE_UP_HEAD.ordinal() && ordinal() <= SCALE_UP_TAIL.ordinal();
    }
}
