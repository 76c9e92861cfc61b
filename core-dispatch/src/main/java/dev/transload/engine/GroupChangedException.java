/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * Thrown if ranks were lost and the remaining ranks agreed on a new view. The current or next call of every remaining
 * rank fails with the same view and the same ranks. The engine is then retired; the remaining ranks can open an engine
 * with {@link EngineConfig#without} the dead ones in the same {@link TransportContext}. An engine with
 * {@link OnPeerFailure#MASK} does this itself: its calls do not fail because of the loss.
 */
public final class GroupChangedException extends CallFailedException
{
    private static final long serialVersionUID = 1L;

    private final int view;
    private final List<Integer> alive;
    private final List<Integer> dead;

    /**
     * Creates the exception with all of its values.
     *
     * @param view    number of the new view of the engine, from 1.
     * @param alive   remaining ranks, in ascending order.
     * @param dead    lost or removed ranks, in ascending order, without ranks that were absent already.
     * @param message one sentence that describes the failure and what this rank detected itself.
     * @param cause   failure that this rank detected itself, or null.
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
     * Returns the number of the new view. An engine begins with view 0, and ends with the first view after it.
     *
     * @return number of the view, equal on all remaining ranks.
     */
    public int view()
    {
        return view;
    }

    /**
     * Returns the remaining ranks.
     *
     * @return ranks in ascending order, equal on all remaining ranks.
     */
    public List<Integer> alive()
    {
        return alive;
    }

    /**
     * Returns the ranks that are not in the new view. These ranks failed, or other ranks could not reach them.
     *
     * @return ranks in ascending order, equal on all remaining ranks.
     */
    public List<Integer> dead()
    {
        return dead;
    }
}
