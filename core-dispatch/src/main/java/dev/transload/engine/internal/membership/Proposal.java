/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

import dev.transload.engine.internal.membership.Message.Vote;

/**
 * A ballot of the own rank. Immutable.
 *
 * @param ballot    number.
 * @param dead      members whose death was confirmed before the ballot began; they count as absent throughout.
 * @param answered  who promised, and once votes are asked for, who voted.
 * @param highest   what was voted for in the highest ballot that anybody told of, or null.
 * @param firstCall highest number of a call that somebody has not begun.
 * @param value     that votes are asked for, or null before.
 */
record Proposal(int ballot, RankSet dead, RankSet answered, Vote highest, long firstCall, GroupView value)
{
    boolean isVoting()
    {
        return null != value;
    }

    Proposal promised(final int rank, final Vote accepted, final long nextCall)
    {
        final boolean isHigher = null != accepted && (null == highest || accepted.ballot() > highest.ballot());
        return new Proposal(ballot, dead, answered.with(rank), isHigher ? accepted : highest,
            Math.max(firstCall, nextCall), null);
    }

    Proposal vote(final int proposer, final GroupView view)
    {
        return new Proposal(ballot, dead, RankSet.of(proposer), highest, firstCall, view);
    }

    Proposal voted(final int rank)
    {
        return new Proposal(ballot, dead, answered.with(rank), highest, firstCall, value);
    }

    /** All members that go on have voted, and nobody else can decide on another view. */
    boolean isDecided(final GroupView base)
    {
        return answered.containsAll(value.alive().and(base.alive()).minus(dead)) && base.isDecidedBy(answered, dead);
    }
}
