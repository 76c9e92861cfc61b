/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * Thrown if the other ranks agreed to continue without this rank because they could not reach it: its process was
 * suspended, or its network failed. The process of this rank should end; the other ranks ignore everything that it
 * sends.
 */
public final class EvictedException extends CallFailedException
{
    private static final long serialVersionUID = 1L;

    private final int view;
    private final List<Integer> alive;

    /**
     * Creates the exception with all of its values.
     *
     * @param rank    number of this rank.
     * @param view    number of the view that the other ranks agreed on.
     * @param alive   ranks in the view that the other ranks agreed on, in ascending order.
     * @param message one sentence that describes the failure.
     * @param cause   failure that this rank detected itself, or null.
     */
    public EvictedException(
        final int rank, final int view, final List<Integer> alive, final String message, final Throwable cause)
    {
        super(Reason.EVICTED, rank, message, cause);
        this.view = view;
        this.alive = List.copyOf(alive);
    }

    @Override
    public EvictedException again()
    {
        return new EvictedException(peer(), view, alive, getMessage(), this);
    }

    /**
     * Returns the number of the view that the other ranks agreed on.
     *
     * @return number of the view, from 1.
     */
    public int view()
    {
        return view;
    }

    /**
     * Returns the ranks in the view that the other ranks agreed on.
     *
     * @return ranks, in ascending order.
     */
    public List<Integer> alive()
    {
        return alive;
    }
}
