/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

import dev.transload.engine.internal.membership.Message.Accept;
import dev.transload.engine.internal.membership.Message.Accepted;
import dev.transload.engine.internal.membership.Message.Commit;
import dev.transload.engine.internal.membership.Message.Envelope;
import dev.transload.engine.internal.membership.Message.Prepare;
import dev.transload.engine.internal.membership.Message.Promise;
import dev.transload.engine.internal.membership.Message.Refused;
import dev.transload.engine.internal.membership.Message.Report;
import dev.transload.engine.internal.membership.Message.Return;
import dev.transload.engine.internal.membership.Message.Vote;
import java.util.ArrayList;
import java.util.List;

/**
 * One rank's part in the agreement on views. It is told what happens and answers with messages to send; it has no
 * thread and no clock. Messages between two ranks must arrive in order or not at all, and reach the very process that
 * they were sent to. Not thread-safe.
 *
 * <p>Members of a view decide on the next one by ballots (Paxos, one decision for each epoch): the lowest rank that is
 * to go on asks all members what they see and what they voted for, proposes the survivors, and commits when all of
 * these have voted. Another survivor takes over when that takes too long. No rank is special.
 */
public final class Membership
{
    /** What this rank is itself. */
    public enum Status
    {
        /** It takes part in its view. */
        MEMBER,
        /** It is a new process of a rank that failed, and asks to be readmitted. */
        RETURNING,
        /** The survivors agreed that it takes part no more. The end of this process. */
        EVICTED,
        /** There was no agreement in time: those that it reached could not decide. The end of this process. */
        NO_MAJORITY
    }

    /** A rank that asked to be readmitted, and its process. */
    private record Candidate(int rank, long incarnation)
    {
    }

    private final int rank;
    private final int size;
    private final long incarnation;
    private final List<Envelope> outgoing = new ArrayList<>();
    private Status status;
    private GroupView view;
    private Links links;
    private RankSet dead = RankSet.NONE;
    private int promised;
    /** Highest ballot that this rank was told of; it may not have been asked to take part in it yet. */
    private int known;
    private Vote accepted;
    private Proposal proposal;
    private Candidate candidate;
    private long nextCall = 1;

    private Membership(final int rank, final int size, final long incarnation, final Status status)
    {
        this.rank = rank;
        this.size = size;
        this.incarnation = incarnation;
        this.status = status;
        view = Status.MEMBER == status ? GroupView.first(size) : GroupView.none(size);
        links = Links.unknown(size).with(rank, RankSet.all(size));
    }

    /**
     * A rank with which the world begins.
     *
     * @param rank of this process.
     * @param size of the world.
     * @return member of the first view.
     */
    public static Membership member(final int rank, final int size)
    {
        return member(rank, size, RankSet.all(size));
    }

    /**
     * A rank with which the world begins, without absent ranks.
     *
     * @param rank    of this process.
     * @param size    of the world.
     * @param present ranks that take part.
     * @return member of the first view.
     */
    public static Membership member(final int rank, final int size, final RankSet present)
    {
        final Membership member = new Membership(rank, size, 0, Status.MEMBER);
        member.view = GroupView.first(size, present);
        return member;
    }

    /**
     * A new process of a rank that failed.
     *
     * @param rank        of this process.
     * @param size        of the world.
     * @param incarnation greater than that of any earlier process of the rank.
     * @return rank that asks to be readmitted at its first {@link #timeoutPassed()}.
     */
    public static Membership returning(final int rank, final int size, final long incarnation)
    {
        return new Membership(rank, size, incarnation, Status.RETURNING);
    }

    public Status status()
    {
        return status;
    }

    /**
     * The last view that this rank knows of.
     *
     * @return view; of epoch -1 before a returning rank is readmitted.
     */
    public GroupView view()
    {
        return view;
    }

    /**
     * What this rank holds of another.
     *
     * @param other rank.
     * @return verdict; of itself what its view says.
     */
    public Verdict verdict(final int other)
    {
        if (!view.alive().contains(other))
        {
            return Verdict.EVICTED;
        }

        if (dead.contains(other))
        {
            return Verdict.DEAD;
        }

        if (!heard().contains(other))
        {
            return Verdict.SUSPECTED;
        }

        return view.returned().contains(other) && nextCall <= view.firstCall() ? Verdict.READMITTED : Verdict.ALIVE;
    }

    /**
     * Whether the next call may begin: this rank is a member, and no agreement is under way.
     *
     * @return false also when there will be no next call.
     */
    public boolean mayBegin()
    {
        return Status.MEMBER == status && !isPending();
    }

    /**
     * Number of the call that this rank begins next.
     *
     * @return number, from 1; of a readmitted rank at least that of the first call of its view.
     */
    public long nextCall()
    {
        return nextCall;
    }

    /** A call begins, or counts for good: it belongs to the view before the next one. */
    public void began()
    {
        nextCall++;
    }

    /**
     * Whether an agreement is wanted or under way: driver of this, call {@link #timeoutPassed()} from time to time.
     *
     * @return true also for a rank that waits to be readmitted.
     */
    public boolean isPending()
    {
        return Status.RETURNING == status || Status.MEMBER == status && (promised > 0 || isChangeWanted());
    }

    /**
     * Whether this rank takes part in a ballot, so that a view which it does not know of may need its vote.
     *
     * @return false before the first ballot, and once there is a view.
     */
    public boolean isBound()
    {
        return Status.MEMBER == status && promised > 0;
    }

    /**
     * How many of those that are to go on propose before this rank does. The more, the longer it leaves it to them.
     *
     * @return number, 0 of the one that proposes first.
     */
    public int turn()
    {
        return (int)survivors().stream().filter((other) -> other < rank).count();
    }

    /**
     * Messages to send, in order.
     *
     * @return what came up since the last time.
     */
    public List<Envelope> takeMessages()
    {
        final List<Envelope> taken = List.copyOf(outgoing);
        outgoing.clear();
        return taken;
    }

    /** A member was not heard of for the liveness time. */
    public void silent(final int other)
    {
        if (isOther(other))
        {
            hear(heard().without(other));
            propose();
        }
    }

    /** A member that was silent is heard of again. */
    public void heard(final int other)
    {
        if (isOther(other))
        {
            hear(heard().with(other));
        }
    }

    /** A member's process is gone; it must be certain that it will never send anything again. */
    public void gone(final int other)
    {
        if (isOther(other) && !dead.contains(other))
        {
            dead = dead.with(other);
            if (null == proposal)
            {
                propose();
            }
            else
            {
                begin();
            }
        }
    }

    /** What is under way takes too long: go on without those that don't answer, or take over. */
    public void timeoutPassed()
    {
        if (Status.RETURNING == status)
        {
            sendTo(RankSet.all(size), new Return(incarnation));
        }
        else if (Status.MEMBER == status && isPending())
        {
            if (null == proposal)
            {
                if (survivors().contains(rank))
                {
                    begin();
                }
            }
            else if (proposal.isVoting())
            {
                begin();
            }
            else
            {
                // Those that are behind in answering are taken for silent.
                hear(heard().minus(members().minus(proposal.answered())));
                ask();
            }
        }
    }

    /** There was time enough: without agreement, this rank takes part no more. */
    public void deadlineOver()
    {
        if (isPending())
        {
            status = Status.NO_MAJORITY;
            proposal = null;
        }
    }

    /**
     * A message came.
     *
     * @param from    rank.
     * @param message of it.
     */
    public void receive(final int from, final Message message)
    {
        if (Status.EVICTED == status || Status.NO_MAJORITY == status)
        {
            return;
        }

        if (message instanceof Commit)
        {
            committed(((Commit)message).view());
        }
        else if (message instanceof Return)
        {
            returned(from, ((Return)message).incarnation());
        }
        else if (isOfThisView(message))
        {
            receiveInView(from, message);
        }
        else if (message.epoch() < view.epoch())
        {
            catchUp(from);
        }
        else if (!(message instanceof Report))
        {
            send(from, new Refused(view.epoch(), 0));
        }
    }

    private boolean isOfThisView(final Message message)
    {
        return message.epoch() == view.epoch() && Status.MEMBER == status;
    }

    private void receiveInView(final int from, final Message message)
    {
        if (message instanceof Report)
        {
            links = links.with(from, ((Report)message).heard());
            propose();
        }
        else if (message instanceof Prepare)
        {
            promise(from, ((Prepare)message).ballot());
        }
        else if (message instanceof Promise)
        {
            promised(from, (Promise)message);
        }
        else if (message instanceof Accept)
        {
            vote(from, ((Accept)message).proposed());
        }
        else if (message instanceof Accepted)
        {
            if (isOwn(((Accepted)message).ballot()) && proposal.isVoting())
            {
                proposal = proposal.voted(from);
                count();
            }
        }
        else
        {
            known = Math.max(known, ((Refused)message).promised());
            giveWay();
        }
    }

    /** The lowest rank that is to go on proposes at once; others when a timeout has passed. */
    private void propose()
    {
        if (Status.MEMBER == status && null == proposal && isChangeWanted() && survivors().lowest() == rank)
        {
            begin();
        }
    }

    /** A new ballot, higher than all that this rank knows of. */
    private void begin()
    {
        promised = (Math.max(promised, known) / size + 1) * size + rank;
        proposal = new Proposal(promised, dead, RankSet.NONE, null, nextCall, null).promised(rank, accepted, nextCall);
        sendTo(members(), new Prepare(view.epoch(), promised));
        askIfAllAnswered();
    }

    private void promise(final int from, final int ballot)
    {
        if (ballot <= promised)
        {
            send(from, new Refused(view.epoch(), promised));
            return;
        }

        promised = ballot;
        giveWay();
        send(from, new Promise(view.epoch(), ballot, heard(), dead, nextCall, accepted));
    }

    private void promised(final int from, final Promise promise)
    {
        if (!isOwn(promise.ballot()) || proposal.isVoting())
        {
            return;
        }

        links = links.with(from, promise.heard());
        proposal = proposal.promised(from, promise.accepted(), promise.nextCall());
        final RankSet allDead = dead.plus(promise.dead());
        if (allDead.equals(dead))
        {
            askIfAllAnswered();
        }
        else
        {
            dead = allDead;
            begin();
        }
    }

    private void askIfAllAnswered()
    {
        if (proposal.answered().containsAll(members()))
        {
            ask();
        }
    }

    /** Ask for votes, if the ranks that answered can decide; else the ballot is over. */
    private void ask()
    {
        final GroupView value = view.isDecidedBy(proposal.answered(), proposal.dead()) ? value() : null;
        if (null == value)
        {
            proposal = null;
            return;
        }

        proposal = proposal.vote(rank, value);
        accepted = new Vote(proposal.ballot(), value);
        sendTo(members(), new Accept(view.epoch(), accepted));
        count();
    }

    /** What somebody may have decided already, else the survivors; null where these could not decide. */
    private GroupView value()
    {
        if (null != proposal.highest())
        {
            return proposal.highest().view();
        }

        final RankSet survivors = survivors();
        if (!survivors.contains(rank) || !view.isDecidedBy(survivors, proposal.dead()))
        {
            return null;
        }

        final GroupView next = view.next(survivors, proposal.firstCall());
        // All members vote for a return, so that none of them can decide on a view that the new process is not in.
        return null == candidate || !survivors.equals(view.alive()) ? next :
            next.readmit(candidate.rank, candidate.incarnation);
    }

    private void vote(final int from, final Vote proposed)
    {
        if (proposed.ballot() < promised)
        {
            send(from, new Refused(view.epoch(), promised));
            return;
        }

        promised = proposed.ballot();
        accepted = proposed;
        giveWay();
        send(from, new Accepted(view.epoch(), proposed.ballot()));
    }

    private void count()
    {
        if (proposal.isDecided(view))
        {
            final GroupView decided = proposal.value();
            sendTo(members().plus(decided.alive()), new Commit(decided));
            install(decided);
        }
    }

    private void committed(final GroupView decided)
    {
        final boolean isMember = decided.alive().contains(rank) && decided.lives().get(rank) == incarnation;
        if (decided.epoch() > view.epoch() && (isMember || Status.MEMBER == status))
        {
            install(decided);
        }
    }

    private void install(final GroupView decided)
    {
        final RankSet same = RankSet.of(decided.alive().and(view.alive()).stream()
            .filter((one) -> view.lives().get(one).equals(decided.lives().get(one))).toArray());
        final RankSet heard = heard().and(same).plus(decided.alive().minus(same));
        nextCall = Status.RETURNING == status ? decided.firstCall() : nextCall;
        status = decided.alive().contains(rank) && decided.lives().get(rank) == incarnation ?
            Status.MEMBER : Status.EVICTED;
        view = decided;
        dead = dead.and(same);
        links = Links.unknown(size).with(rank, heard);
        promised = 0;
        known = 0;
        accepted = null;
        proposal = null;
        if (null != candidate && candidate.incarnation <= view.lives().get(candidate.rank))
        {
            candidate = null;
        }

        if (Status.MEMBER == status)
        {
            if (!heard.containsAll(members()))
            {
                sendTo(members(), new Report(view.epoch(), heard));
            }

            propose();
        }
    }

    private void returned(final int from, final long life)
    {
        if (Status.MEMBER != status)
        {
            return;
        }

        if (life <= view.lives().get(from))
        {
            catchUp(from);
        }
        else if (null == candidate || candidate.rank == from)
        {
            candidate = new Candidate(from, Math.max(life, null == candidate ? 0 : candidate.incarnation));
            // The predecessor ended, or it would not have been restarted.
            gone(from);
            propose();
        }
    }

    /** Tells a rank that knows an older view what this one is; what it was asked in this view it is asked again. */
    private void catchUp(final int other)
    {
        if (Status.MEMBER != status)
        {
            return;
        }

        send(other, new Commit(view));
        if (null != proposal && members().contains(other) && !proposal.answered().contains(other))
        {
            send(other, proposal.isVoting() ? new Accept(view.epoch(), new Vote(proposal.ballot(), proposal.value())) :
                new Prepare(view.epoch(), proposal.ballot()));
        }
    }

    /** A higher ballot is under way. */
    private void giveWay()
    {
        if (null != proposal && proposal.ballot() < Math.max(promised, known))
        {
            proposal = null;
        }
    }

    private boolean isOwn(final int ballot)
    {
        return null != proposal && proposal.ballot() == ballot;
    }

    private boolean isOther(final int other)
    {
        return Status.MEMBER == status && other != rank && view.alive().contains(other);
    }

    private boolean isChangeWanted()
    {
        return null != candidate || !survivors().equals(view.alive());
    }

    private RankSet survivors()
    {
        return links.survivors(members());
    }

    /** Members that are not known to be dead. */
    private RankSet members()
    {
        return view.alive().minus(dead);
    }

    private RankSet heard()
    {
        return links.rows().get(rank);
    }

    private void hear(final RankSet heard)
    {
        if (!heard.equals(heard()))
        {
            links = links.with(rank, heard);
            sendTo(members(), new Report(view.epoch(), heard));
        }
    }

    private void sendTo(final RankSet others, final Message message)
    {
        others.without(rank).stream().forEach((other) -> send(other, message));
    }

    private void send(final int other, final Message message)
    {
        outgoing.add(new Envelope(other, message));
    }

    /** The same once more, to go on in another way from here. */
    Membership copy()
    {
        final Membership copy = new Membership(rank, size, incarnation, status);
        copy.outgoing.addAll(outgoing);
        copy.view = view;
        copy.links = links;
        copy.dead = dead;
        copy.promised = promised;
        copy.known = known;
        copy.accepted = accepted;
        copy.proposal = proposal;
        copy.candidate = candidate;
        copy.nextCall = nextCall;
        return copy;
    }

    private List<Object> state()
    {
        final List<Object> state = new ArrayList<>(List.of(rank, incarnation, status, view, links, dead, promised,
            known));
        state.add(accepted);
        state.add(proposal);
        state.add(candidate);
        state.add(nextCall);
        return state;
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof Membership && state().equals(((Membership)other).state());
    }

    @Override
    public int hashCode()
    {
        return state().hashCode();
    }

    @Override
    public String toString()
    {
        return "rank " + rank + " is " + status + " in " + view + ", hears " + heard() + ", knows the death of " +
            dead + ", promised " + promised + ", voted " + accepted + ", proposes " + proposal + ", candidate " +
            candidate;
    }
}
