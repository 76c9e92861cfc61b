/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A call on this rank, from its start to its end; waiting in the queue of calls is not in it. */
@Name("dev.transload.Call")
@Label("Call")
@Category("Transload")
@Description("A dispatch or combine on one rank")
@StackTrace(false)
public final class CallEvent extends Event
{
    private static final CallEvent PROBE = new CallEvent();

    @Label("Rank")
    private int rank;

    @Label("Call Number")
    private long number;

    @Label("Kind")
    private String kind;

    @Label("Tokens")
    @Description("Tokens of this rank")
    private int tokens;

    @Label("Rows")
    @Description("Rows of this rank's experts, padding included; 0 when the call failed")
    private int rows;

    @Label("Bytes")
    @Description("Payload and metadata sent to ranks, the own one included")
    @DataAmount
    private long bytes;

    @Label("Failure")
    @Description("Reason, null when the call ended well")
    private String failure;

    private CallEvent()
    {
        super();
    }

    /**
     * A call starts.
     *
     * @return event, or null while nobody records any.
     */
    public static CallEvent start()
    {
        if (!PROBE.isEnabled())
        {
            return null;
        }

        final CallEvent event = new CallEvent();
        event.begin();
        return event;
    }

    /** Which call it is. */
    public void name(final int ownRank, final long callNumber, final String kindTitle)
    {
        rank = ownRank;
        number = callNumber;
        kind = kindTitle;
    }

    /**
     * The call ended.
     *
     * @param moved  bytes.
     * @param reason of its failure, or null.
     */
    public void finish(final int homeTokens, final int expertRows, final long moved, final String reason)
    {
        end();
        tokens = homeTokens;
        rows = expertRows;
        bytes = moved;
        failure = reason;
        commit();
    }
}
