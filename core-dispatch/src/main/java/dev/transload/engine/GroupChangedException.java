/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * Ranks were lost, and the others agreed on who is left: the current or next call of each of them fails with the same
 * view and the same ranks. The engine is retired; the ranks that are left can open a new world.
 */
public final class GroupChangedException extends CallFailedException
{
    private static final long serialVersionUID = 1L;

    private final int view;
    private final List<Integer> alive;
    private final List<Integer> dead;

    /**
     * With all there is.
     *
     * @param view    number of the view that was agreed on, from 1.
     * @param alive   ranks that are left, ascending.
     * @param dead    ranks that are not, ascending.
     * @param message one sentence, with what this rank noticed itself.
     * @param cause   what this rank noticed, or null.
     */
    public GroupChangedException(
        final int view, final List<Integer> alive, final List<Integer> dead, final String message,
        final Throwable cause)
    {
        super(Reason.PEER_FAILED, dead.isEmpty() ? -1 : dead.get(0), message, cause);
        this.view = view;
        this.alive = List.copyOf(alive);
        this.dead = List.copyOf(dead);
    }

    @Override
    public GroupChangedException again()
    {
        return new GroupChangedException(view, alive, dead, getMessage(), this);
    }

    /**
     * Number of the view: the world begins with view 0, and each agreement makes the next one.
     *
     * @return number, equal on all ranks that are left.
     */
    public int view()
    {
        return view;
    }

    /**
     * Ranks that are left.
     *
     * @return ranks, ascending, equal on all of them.
     */
    public List<Integer> alive()
    {
        return alive;
    }

    /**
     * Ranks that are lost, or were left out because others could not reach them.
     *
     * @return ranks, ascending, equal on all ranks that are left.
     */
    public List<Integer> dead()
    {
        return dead;
    }
}
