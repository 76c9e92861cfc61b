/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Which ranks take part, as their members agreed. Each view has the next epoch.
 *
 * @param epoch     number of the view, from 0, with which the world begins.
 * @param alive     ranks that take part.
 * @param returned  those of them that this view readmits.
 * @param lives     by rank, the incarnation that takes part, or took part last; 0 of the process that began the world.
 * @param firstCall number of the first call that is made in this view.
 */
public record GroupView(int epoch, RankSet alive, RankSet returned, List<Long> lives, long firstCall)
{
    /** Makes the list of lives immutable. */
    public GroupView
    {
        lives = List.copyOf(lives);
    }

    /**
     * The view with which a world begins.
     *
     * @param size of the world.
     * @return view of epoch 0.
     */
    public static GroupView first(final int size)
    {
        return first(size, RankSet.all(size));
    }

    /** The view with which a world begins that some ranks take no part in. */
    static GroupView first(final int size, final RankSet present)
    {
        return new GroupView(0, present, RankSet.NONE, Collections.nCopies(size, 0L), 1);
    }

    /** What a rank knows before it is readmitted: no view. */
    static GroupView none(final int size)
    {
        return new GroupView(-1, RankSet.NONE, RankSet.NONE, Collections.nCopies(size, 0L), 1);
    }

    /** The next view, of these ranks. */
    GroupView next(final RankSet survivors, final long call)
    {
        return new GroupView(epoch + 1, survivors, RankSet.NONE, lives, call);
    }

    /** The same with one more rank, which returns. */
    GroupView readmit(final int rank, final long incarnation)
    {
        final List<Long> known = new ArrayList<>(lives);
        known.set(rank, incarnation);
        return new GroupView(epoch, alive.with(rank), returned.with(rank), known, firstCall);
    }

    /**
     * Whether members of this view may decide on the next one. Others cannot do so as well without one of these
     * members: either nobody else is left who could, or these are more than half of all members, or half of them with
     * the lowest rank. Members that died count as if they had voted for something else, since they may have. Example:
     * ranks 1 and 2 of three are cut off from rank 0 and agree to leave it out. Rank 1 dies, and rank 0 learns of that
     * only. If the dead did not count, rank 0 would be half of {0, 2} and go on, and so would rank 2.
     *
     * @param voters who agree.
     * @param dead   members whose death was confirmed before anybody was asked.
     * @return whether it suffices.
     */
    public boolean isDecidedBy(final RankSet voters, final RankSet dead)
    {
        final RankSet ours = voters.and(alive);
        final int twice = 2 * ours.size();
        return ours.plus(dead).containsAll(alive) || twice > alive.size() ||
            twice == alive.size() && ours.contains(alive.lowest());
    }
}
