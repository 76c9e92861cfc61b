/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Counters that somebody may wait for: see {@link #isNearer}. */
public enum WaitCounter
{
    /** Device work of the caller, which a call was told to wait for. */
    EVENT("event"),
    /** Copies of top-k tensors between the payload's device and host memory. */
    TOPK("device top-k"),
    /** Notify messages between nodes. */
    SCALE_OUT_NOTIFY("scale-out.notify"),
    /** Notify messages within a node. */
    SCALE_UP_NOTIFY("scale-up.notify"),
    /** What a rank of the node exposes. */
    SCALE_UP_CLEAR_TO_SEND("scale-up.clear-to-send"),
    /** Metadata blocks between nodes. */
    SCALE_OUT_BLOCKS("scale-out.blocks"),
    /** Metadata blocks within a node. */
    SCALE_UP_BLOCKS("scale-up.blocks"),
    /** Metadata blocks that all readers are done with, between nodes. */
    SCALE_OUT_BLOCK_HEAD("scale-out.block-head"),
    /** Metadata blocks read within a node. */
    SCALE_UP_BLOCK_HEAD("scale-up.block-head"),
    /** Rows consumed from a scale-up ring. */
    SCALE_UP_HEAD("scale-up.head"),
    /** Rows consumed from a scale-out ring. */
    SCALE_OUT_HEAD("scale-out.head"),
    /** Rows produced into a scale-out ring. */
    SCALE_OUT_TAIL("scale-out.tail"),
    /** Rows produced into a scale-up ring. */
    SCALE_UP_TAIL("scale-up.tail"),
    /** Rows on their way between the payload's memory and host memory of the own rank. */
    STAGED_TAIL("staged.tail"),
    /** Operations of the own transport channel. */
    POSITION("channel position"),
    /** Operations of the own row kernels. */
    KERNELS("row kernels");

    private final String title;

    WaitCounter(final String title)
    {
        this.title = title;
    }

    /**
     * How messages and figures name it.
     *
     * @return e.g. {@code scale-out.tail}.
     */
    public String title()
    {
        return title;
    }

    /**
     * Whether a wait for this counter is nearer to the cause than a wait for another, where a rank has both. A reader
     * who follows the nearest waits from rank to rank never comes back, since each is nearer than the one before. What
     * comes early in the pipeline is nearest, but for rows and credit. In a dispatch credit is nearer: a relay whose
     * chunk finds one ring full sends none of it to other ranks. In a combine rows are nearer: streams do not wait for
     * each other, but a sum needs the rows of all ranks that have some.
     *
     * @param than      other counter.
     * @param isCombine whether the call is a combine.
     * @return true if so.
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
