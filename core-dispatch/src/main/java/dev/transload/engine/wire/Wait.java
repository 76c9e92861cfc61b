/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.wire;

/** What a role waits for: a counter which a rank has not moved far enough. Reused, filled on cold paths only. */
public final class Wait
{
    /** Counters that somebody may wait for: where several are, the first of them is nearest to the cause. */
    public enum Counter
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
        SCALE_UP_EXPOSURE("scale-up.exposure"),
        /** Lane metas between nodes. */
        SCALE_OUT_LANE("scale-out.lane"),
        /** Lane metas within a node. */
        SCALE_UP_LANE("scale-up.lane"),
        /** Rows consumed from a scale-up ring. */
        SCALE_UP_HEAD("scale-up.head"),
        /** Rows consumed from a scale-out ring. */
        SCALE_OUT_HEAD("scale-out.head"),
        /** Rows produced into a scale-out ring. */
        SCALE_OUT_TAIL("scale-out.tail"),
        /** Rows produced into a scale-up ring. */
        SCALE_UP_TAIL("scale-up.tail"),
        /** Rows put to their final places by kept lists, and 1 for their scales. */
        SCALE_UP_LISTED("scale-up.listed"),
        /** Rows on their way between the payload's memory and host memory of the own rank. */
        STAGED_TAIL("staged.tail"),
        /** Operations of the own transport channel. */
        POSITION("channel position"),
        /** Operations of the own row kernels. */
        KERNELS("row kernels");

        private final String title;

        Counter(final String title)
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
    }

    private int rank = -1;
    private int channel;
    private Counter counter = Counter.POSITION;
    private long expected;
    private long seen;
    private boolean isStalled;

    /**
     * Set.
     *
     * @param awaitedRank who must move the counter.
     * @param lane        channel, −1 where none applies.
     * @param what        counter.
     * @param target      value waited for.
     * @param value       value seen.
     * @return true, for callers that report whether they wait.
     */
    public boolean set(
        final int awaitedRank, final int lane, final Counter what, final long target, final long value)
    {
        rank = awaitedRank;
        channel = lane;
        counter = what;
        expected = target;
        seen = value;
        isStalled = false;
        return true;
    }

    /**
     * Set: operations of an own channel have not moved for a while.
     *
     * @param peer     of the channel.
     * @param lane     channel, −1 where none applies.
     * @param position last one that was accepted.
     * @param released last one that is done.
     */
    public void setStalled(final int peer, final int lane, final long position, final long released)
    {
        set(peer, lane, Counter.POSITION, position, released);
        isStalled = true;
    }

    /**
     * Set as another one is.
     *
     * @param other to copy.
     */
    public void copy(final Wait other)
    {
        set(other.rank, other.channel, other.counter, other.expected, other.seen);
        isStalled = other.isStalled;
    }

    /**
     * Whether a channel has not moved for a while: whoever is at its other end is nearer to the cause than anybody
     * whose rows or credit are missing.
     *
     * @return true after {@link #setStalled}.
     */
    public boolean isStalled()
    {
        return isStalled;
    }

    /**
     * Who must move the counter.
     *
     * @return rank.
     */
    public int rank()
    {
        return rank;
    }

    /**
     * Channel.
     *
     * @return channel, −1 where none applies.
     */
    public int channel()
    {
        return channel;
    }

    /**
     * Counter.
     *
     * @return counter.
     */
    public Counter counter()
    {
        return counter;
    }

    /**
     * Value waited for.
     *
     * @return value.
     */
    public long expected()
    {
        return expected;
    }

    /**
     * Value seen.
     *
     * @return value.
     */
    public long seen()
    {
        return seen;
    }

    /**
     * Whether it has not come yet.
     *
     * @return false where the value waited for is there already.
     */
    public boolean isOpen()
    {
        return expected > seen;
    }

    /**
     * In words.
     *
     * @return e.g. {@code rank 2, channel 1, scale-out.tail: expected 96, seen 64}.
     */
    public String describe()
    {
        return "rank " + rank + (channel < 0 ? "" : ", channel " + channel) + ", " + counter.title + ": expected " +
            expected + ", seen " + seen;
    }
}
