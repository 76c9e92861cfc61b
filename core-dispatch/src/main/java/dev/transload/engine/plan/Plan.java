/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import dev.transload.engine.OutputLayout;
import dev.transload.engine.world.Geometry;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The routing of one dispatch, as its source rank, its forwarder and its expert rank; the engine keeps a pool. */
public final class Plan
{
    private final SendLayout home;
    private final ForwardRoutes forward;
    private final ReceiveLayout experts;
    private final DeliveredRows delivered;
    private final Consumer<Plan> pool;
    private long callNumber;
    private OutputLayout layout = OutputLayout.RANK_MAJOR;
    private int alignment = 1;
    private final AtomicInteger users = new AtomicInteger();

    /**
     * Empty and closed.
     *
     * @param geometry sizes.
     * @param pool     which takes it back.
     */
    public Plan(final Geometry geometry, final Consumer<Plan> pool)
    {
        this.home = new SendLayout(geometry);
        this.forward = new ForwardRoutes(geometry);
        this.experts = new ReceiveLayout(geometry);
        this.delivered = new DeliveredRows(geometry);
        this.pool = pool;
    }

    /**
     * Take it into use for a dispatch; its handle is the first user.
     *
     * @param outputLayout    order of delivered rows.
     * @param expertAlignment of counts.
     */
    public void open(final OutputLayout outputLayout, final int expertAlignment)
    {
        layout = outputLayout;
        alignment = expertAlignment;
        users.set(1);
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

    /**
     * The dispatch that fills it got its number.
     *
     * @param number of the call.
     */
    public void number(final long number)
    {
        callNumber = number;
    }

    /**
     * Where this rank's tokens go.
     *
     * @return routes.
     */
    public SendLayout home()
    {
        return home;
    }

    /**
     * What passes through this rank.
     *
     * @return routes.
     */
    public ForwardRoutes forward()
    {
        return forward;
    }

    /**
     * What comes to this rank.
     *
     * @return routes.
     */
    public ReceiveLayout experts()
    {
        return experts;
    }

    /**
     * Metadata of the rows that came, where dispatches with the handle may repeat it.
     *
     * @return copies.
     */
    public DeliveredRows delivered()
    {
        return delivered;
    }

    /**
     * Order of delivered rows.
     *
     * @return layout.
     */
    public OutputLayout layout()
    {
        return layout;
    }

    /**
     * Whether rows are delivered expert-major.
     *
     * @return true if so.
     */
    public boolean isExpanded()
    {
        return OutputLayout.EXPERT_MAJOR == layout;
    }

    /**
     * Alignment of counts.
     *
     * @return rows.
     */
    public int alignment()
    {
        return alignment;
    }

    /**
     * Whether a pool made it.
     *
     * @param one pool.
     * @return true if so.
     */
    public boolean isOf(final Consumer<Plan> one)
    {
        return pool == one;
    }

    /**
     * Number of the dispatch that filled it.
     *
     * @return call number.
     */
    public long callNumber()
    {
        return callNumber;
    }

    /**
     * Tokens of this rank.
     *
     * @return T.
     */
    public int tokens()
    {
        return home.tokens();
    }

    /**
     * Rows delivered to this rank, padding included (expert-major).
     *
     * @return R.
     */
    public int rows()
    {
        return isExpanded() ? experts.expandedRows() : experts.rows();
    }
}
