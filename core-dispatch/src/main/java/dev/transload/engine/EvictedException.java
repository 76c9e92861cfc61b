/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * The other ranks agreed to go on without this one, which they could not reach: it was stopped, or cut off. Its process
 * should end; nothing that it sends has an effect any more.
 */
public final class EvictedException extends CallFailedException
{
    private static final long serialVersionUID = 1L;

    private final int view;
    private final List<Integer> alive;

    /**
     * With all there is.
     *
     * @param rank    own rank.
     * @param view    number of the view that the others agreed on.
     * @param alive   ranks in it, ascending.
     * @param message one sentence.
     * @param cause   what this rank noticed itself, or null.
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
     * Number of the view that the others agreed on.
     *
     * @return number, from 1.
     */
    public int view()
    {
        return view;
    }

    /**
     * Ranks that are left.
     *
     * @return ranks, ascending.
     */
    public List<Integer> alive()
    {
        return alive;
    }
}
