/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.observe;

import dev.transload.engine.internal.wire.Wait;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** An engine thread waited: none of its roles found work. Names what was nearest to the cause when the wait began. */
@Name("dev.transload.Wait")
@Label("Wait")
@Category("Transload")
@Description("An engine thread found nothing to do while a call was under way")
@StackTrace(false)
@Threshold("1 ms")
public final class WaitEvent extends Event
{
    private static final WaitEvent PROBE = new WaitEvent();

    @Label("Rank")
    private int rank;

    @Label("Call Number")
    private long call;

    @Label("Peer")
    private int peer;

    @Label("Channel")
    @Description("-1 where none applies")
    private int channel;

    @Label("Counter")
    private String counter;

    @Label("Expected")
    @Description("Value of the counter that was waited for")
    private long expected;

    @Label("Seen")
    @Description("Value of the counter when the wait began")
    private long seen;

    private WaitEvent()
    {
        super();
    }

    /**
     * A thread begins to wait.
     *
     * @return event to be filled, or null while nobody records any.
     */
    public static WaitEvent start()
    {
        if (!PROBE.isEnabled())
        {
            return null;
        }

        final WaitEvent event = new WaitEvent();
        event.begin();
        return event;
    }

    /** What is waited for. */
    public void fill(final int ownRank, final long callNumber, final Wait wait)
    {
        rank = ownRank;
        call = callNumber;
        peer = wait.rank();
        channel = wait.channel();
        counter = wait.counter().title();
        expected = wait.expected();
        seen = wait.seen();
    }
}
