/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.wire;

import dev.transload.engine.WaitCounter;

/** What a role waits for: a counter which a rank has not moved far enough. Reused, filled on cold paths only. */
public final class Wait
{
    private int rank = -1;
    private int channel;
    private WaitCounter counter = WaitCounter.POSITION;
    private long expected;
    private long seen;
    private boolean isStalled;

    /**
     * Set.
     *
     * @param peer      must move the counter.
     * @param atChannel channel, −1 where none applies.
     * @return true, for callers that report whether they wait.
     */
    public boolean set(
        final int peer, final int atChannel, final WaitCounter what, final long target, final long value)
    {
        rank = peer;
        channel = atChannel;
        counter = what;
        expected = target;
        seen = value;
        isStalled = false;
        return true;
    }

    /**
     * Set: operations of an own channel have not moved for a while.
     *
     * @param atChannel channel, −1 where none applies.
     * @param position  last one that was accepted.
     * @param released  last one that is done.
     */
    public void setStalled(final int peer, final int atChannel, final long position, final long released)
    {
        set(peer, atChannel, WaitCounter.POSITION, position, released);
        isStalled = true;
    }

    /** Set as another one is. */
    public void copy(final Wait other)
    {
        set(other.rank, other.channel, other.counter, other.expected, other.seen);
        isStalled = other.isStalled;
    }

    /**
     * Whether a channel has not moved for a while: the rank at its other end is nearer to the cause than a rank whose
     * rows or credit are missing.
     *
     * @return true after {@link #setStalled}.
     */
    public boolean isStalled()
    {
        return isStalled;
    }

    /** The rank that must move the counter. */
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

    public WaitCounter counter()
    {
        return counter;
    }

    /** Value waited for. */
    public long expected()
    {
        return expected;
    }

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
        return "rank " + rank + (channel < 0 ? "" : ", channel " + channel) + ", " + counter.title() + ": expected " +
            expected + ", seen " + seen;
    }
}
