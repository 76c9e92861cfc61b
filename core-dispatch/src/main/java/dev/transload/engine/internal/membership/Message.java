/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

/** What ranks tell each other to agree on a view. Each message is of the view in which its sender is. */
public sealed interface Message
{
    /**
     * Number of the sender's view.
     *
     * @return epoch, -1 of a sender that is in no view.
     */
    int epoch();

    /**
     * A message that is to be sent.
     *
     * @param to      rank.
     * @param message for it.
     */
    record Envelope(int to, Message message)
    {
    }

    /**
     * What somebody agreed to.
     *
     * @param ballot in which.
     * @param view   that is to be the next one.
     */
    record Vote(int ballot, GroupView view)
    {
    }

    /**
     * Whom the sender hears, when that changed.
     *
     * @param heard ranks, the sender included.
     */
    record Report(int epoch, RankSet heard) implements Message
    {
    }

    /**
     * The sender wants to propose the next view. Ballots of different ranks differ; a higher one takes over.
     *
     * @param ballot of the proposal.
     */
    record Prepare(int epoch, int ballot) implements Message
    {
    }

    /**
     * The sender takes part in this ballot and in no lower one, and begins no call until there is a view.
     *
     * @param heard    whom it hears.
     * @param dead     members of whose death it knows.
     * @param nextCall number of the call that it has not begun.
     * @param accepted what it voted for in the highest ballot so far, or null.
     */
    record Promise(int epoch, int ballot, RankSet heard, RankSet dead, long nextCall, Vote accepted) implements Message
    {
    }

    /** The sender asks for votes. */
    record Accept(int epoch, Vote proposed) implements Message
    {
    }

    /** The sender votes for what was proposed in this ballot. */
    record Accepted(int epoch, int ballot) implements Message
    {
    }

    /**
     * The sender doesn't take part in the ballot.
     *
     * @param promised ballot below which it takes part in none.
     */
    record Refused(int epoch, int promised) implements Message
    {
    }

    /** The view was agreed on. */
    record Commit(GroupView view) implements Message
    {
        @Override
        public int epoch()
        {
            return view.epoch();
        }
    }

    /**
     * The sender is a new process of a rank that failed, and asks to be readmitted.
     *
     * @param incarnation of the process, greater than any of the rank before.
     */
    record Return(long incarnation) implements Message
    {
        @Override
        public int epoch()
        {
            return -1;
        }
    }
}
