/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.wire;

import dev.transload.engine.WaitCounter;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Which rank a rank waits for, kept where peers can load it: a peer that runs into its deadline can then name the rank
 * that it waits for and the rank that this one waits for. Layout: call number i64, expected i64, seen i64, peer i32
 * (−1 = none), channel i32, counter i32.
 */
public final class StatusPage
{
    /** Room for a page. */
    public static final int BYTES = 64;

    /** Number that says that the rank is in no call. */
    public static final long NO_CALL = 0;

    private static final int EXPECTED_OFFSET = 8;
    private static final int SEEN_OFFSET = 16;
    private static final int RANK_OFFSET = 24;
    private static final int CHANNEL_OFFSET = 28;
    private static final int COUNTER_OFFSET = 32;

    private StatusPage()
    {
    }

    /**
     * Write.
     *
     * @param call number of the call, 0 when none is under way.
     * @param wait what the call waits for, or null for nothing.
     */
    public static void write(final UnsafeBuffer buffer, final long call, final Wait wait)
    {
        buffer.putLong(0, call);
        buffer.putLong(EXPECTED_OFFSET, null == wait ? 0 : wait.expected());
        buffer.putLong(SEEN_OFFSET, null == wait ? 0 : wait.seen());
        buffer.putInt(RANK_OFFSET, null == wait ? -1 : wait.rank());
        buffer.putInt(CHANNEL_OFFSET, null == wait ? -1 : wait.channel());
        buffer.putInt(COUNTER_OFFSET, null == wait ? 0 : wait.counter().ordinal());
    }

    /** Put a loaded page into words. */
    public static String describe(final UnsafeBuffer buffer, final int rank)
    {
        if (NO_CALL == buffer.getLong(0))
        {
            return "rank " + rank + " is in no call";
        }

        final int peer = buffer.getInt(RANK_OFFSET);
        final String call = "rank " + rank + " is in call " + buffer.getLong(0);
        if (peer < 0)
        {
            return call + " and waits for no rank";
        }

        final WaitCounter[] counters = WaitCounter.values();
        final Wait wait = new Wait();
        wait.set(peer, buffer.getInt(CHANNEL_OFFSET), counters[buffer.getInt(COUNTER_OFFSET) % counters.length],
            buffer.getLong(EXPECTED_OFFSET), buffer.getLong(SEEN_OFFSET));
        return call + " and waits for " + wait.describe();
    }
}
