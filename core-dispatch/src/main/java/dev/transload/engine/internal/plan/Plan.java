/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.OutputLayout;
import dev.transload.engine.internal.world.Geometry;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The routing of one dispatch from all three places of this rank in it; the engine keeps a pool of them. */
public final class Plan
{
    private final SendLayout sendLayout;
    private final SendTable[] sends;
    private final ForwardTable[] forwards;
    private final CombineTable[] combines;
    private final Geometry geometry;
    private final ReceiveLayout receiveLayout;
    private final Consumer<Plan> pool;
    private long callNumber;
    private OutputLayout layout = OutputLayout.RANK_MAJOR;
    private int alignment = 1;
    private boolean isDirect;
    private final AtomicInteger users = new AtomicInteger();

    public Plan(final Geometry geometry, final Consumer<Plan> pool)
    {
        this.sendLayout = new SendLayout(geometry);
        this.receiveLayout = new ReceiveLayout(geometry);
        this.pool = pool;
        this.geometry = geometry;
        this.sends = new SendTable[geometry.channels() * geometry.nodes()];
        this.forwards = new ForwardTable[geometry.channels() * geometry.streams()];
        this.combines = new CombineTable[geometry.channels()];
        for (int i = 0; i < sends.length; i++)
        {
            sends[i] = new SendTable(geometry);
        }

        final int mostPlaces = geometry.locals() * Math.max(1, geometry.maxLocalExperts());
        for (int i = 0; i < forwards.length; i++)
        {
            forwards[i] = new ForwardTable(geometry, sendLayout, geometry.locals(), mostPlaces);
        }

        for (int i = 0; i < combines.length; i++)
        {
            combines[i] = new CombineTable(geometry);
        }
    }

    /** Take it into use for a dispatch; its handle is the first user. */
    public void open(final OutputLayout outputLayout, final int expertAlignment)
    {
        layout = outputLayout;
        alignment = expertAlignment;
        users.set(1);
        for (final CombineTable combine : combines)
        {
            combine.clear();
        }
    }

    /** A call begins to use it; it stays with the call even if the caller closes it meanwhile. */
    public void retain()
    {
        users.incrementAndGet();
    }

    /** A call has ended using it. */
    public void release()
    {
        if (0 == users.decrementAndGet())
        {
            pool.accept(this);
        }
    }

    /** The dispatch that fills it got its number. */
    public void number(final long number)
    {
        callNumber = number;
    }

    /**
     * A dispatch that it serves has ended.
     *
     * @param areRowsDirect whether rows were written to their places in this rank's output; else they came in rings.
     */
    public void delivered(final boolean areRowsDirect)
    {
        isDirect = areRowsDirect;
    }

    /**
     * How the last dispatch delivered.
     *
     * @return true if rows were written to their places.
     */
    boolean isDirect()
    {
        return isDirect;
    }

    Geometry geometry()
    {
        return geometry;
    }

    /** Where this rank's tokens go. */
    public SendLayout sendLayout()
    {
        return sendLayout;
    }

    /** Which tokens a channel sends to another node. */
    public SendTable sendTable(final int channel, final int node)
    {
        return sends[channel * geometry.nodes() + node];
    }

    /**
     * Where the rows of a stream go that this rank relays.
     *
     * @param stream index among those that this rank relays in the channel.
     */
    public ForwardTable forwardTable(final int channel, final int stream)
    {
        return forwards[geometry.stream(channel, stream)];
    }

    /** What a channel's tokens are summed from. */
    public CombineTable combineTable(final int channel)
    {
        return combines[channel];
    }

    /** What comes to this rank. */
    public ReceiveLayout receiveLayout()
    {
        return receiveLayout;
    }

    /** Order of delivered rows. */
    public OutputLayout layout()
    {
        return layout;
    }

    /** Whether rows are delivered expert-major. */
    public boolean isExpanded()
    {
        return OutputLayout.EXPERT_MAJOR == layout;
    }

    /** Alignment of counts. */
    public int alignment()
    {
        return alignment;
    }

    /** Whether a pool made it. */
    public boolean isOf(final Consumer<Plan> one)
    {
        return pool == one;
    }

    /** Number of the dispatch that filled it. */
    public long callNumber()
    {
        return callNumber;
    }

    /** Tokens of this rank. */
    public int tokens()
    {
        return sendLayout.tokens();
    }

    /** Rows delivered to this rank, padding included (expert-major). */
    public int rows()
    {
        return isExpanded() ? receiveLayout.expandedRows() : receiveLayout.rows();
    }
}
