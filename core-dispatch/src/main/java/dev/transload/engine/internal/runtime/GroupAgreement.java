/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.EvictedException;
import dev.transload.engine.GroupChangedException;
import dev.transload.engine.internal.membership.GroupView;
import dev.transload.engine.internal.membership.Membership;
import dev.transload.engine.internal.membership.Membership.Status;
import dev.transload.engine.internal.membership.Message;
import dev.transload.engine.internal.membership.Message.Commit;
import dev.transload.engine.internal.membership.Message.Envelope;
import dev.transload.engine.internal.membership.Message.Return;
import dev.transload.engine.internal.membership.MessageCodec;
import dev.transload.engine.internal.membership.RankSet;
import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.spi.PeerFailedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the agreement on who is left after a failure a clock and a thread, which sends: a rendezvous may block a sender
 * on the very peer that died. The thread starts when it is needed. Thread-safe.
 */
final class GroupAgreement
{
    private static final Logger LOGGER = LoggerFactory.getLogger(GroupAgreement.class);
    private static final long MIN_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Of the liveness timeout: after it, ranks that do not answer are taken for silent. */
    private static final int RETRIES = 4;
    /** Of the liveness timeout. */
    private static final int DEADLINE_FACTOR = 2;
    /** In retries, how long ranks leave it to others to propose; below the deadline. */
    private static final int LAST_TURN = 7;
    /** In eighths of the deadline, when a rank that has heard of no view asks for it, whatever came meanwhile. */
    private static final int LAST_CHANCE = 7;
    private static final int EIGHTHS = 8;
    private static final int ALL = -1;
    /** If the thread is stuck in the rendezvous, the call ends without it. */
    private static final long STUCK_NS = TimeUnit.SECONDS.toNanos(2);

    private final int rank;
    private final RankSet first;
    private final Membership membership;
    private final MessageCodec codec;
    private final int prefix;
    private final int lastWord;
    private final Consumer<ByteBuffer> sender;
    private final long retryNs;
    private final long deadlineNs;
    private final long openNs;
    private final List<ByteBuffer> outgoing = new ArrayList<>();
    /** Ranks that a transport or the rendezvous takes for lost, not only late in answering. */
    private final Set<Integer> reported = new HashSet<>();
    private CallFailedException failure;
    private CallFailedException outcome;
    /** The first view that the ranks agreed on, and the only one: an engine ends with it. */
    private GroupView agreed;
    private long beginNs;
    private long retriedNs;
    private Thread thread;
    private boolean maySend;
    private boolean isViewRepeated;
    private boolean isLastChanceTaken;
    private boolean haveMet;
    private boolean isClosed;

    /**
     * Of an engine.
     *
     * @param present  ranks with which it begins, by their numbers in the world.
     * @param liveness time after which a silent rank counts as lost.
     * @param open     time in which a rank that still opens the engine says something.
     * @param prefix   of each message about the group, which {@link #receive} of the other ranks is not given.
     * @param lastWord what a rank says before it closes which has taken part in a ballot.
     * @param sender   of messages to all other ranks; may block.
     */
    GroupAgreement(
        final int rank, final int size, final List<Integer> present, final Duration liveness, final Duration open,
        final int prefix, final int lastWord, final Consumer<ByteBuffer> sender)
    {
        this.prefix = prefix;
        this.lastWord = lastWord;
        this.rank = rank;
        this.first = RankSet.of(present.stream().mapToInt(Integer::intValue).toArray());
        this.membership = Membership.member(rank, size, first);
        this.codec = new MessageCodec(size);
        this.sender = sender;
        this.retryNs = Math.max(MIN_RETRY_NS, liveness.toNanos() / RETRIES);
        this.openNs = open.toNanos();
        this.deadlineNs = Math.max(DEADLINE_FACTOR * RETRIES * MIN_RETRY_NS, DEADLINE_FACTOR * liveness.toNanos());
    }

    /** All present ranks hear of each other from now on: none is late because it still opens the engine. */
    synchronized void met()
    {
        haveMet = true;
        beginNs = System.nanoTime();
        retriedNs = beginNs;
    }

    /** How long a rank may take to answer. */
    private long answerNs()
    {
        return haveMet ? retryNs : Math.max(retryNs, openNs);
    }

    private long boundNs()
    {
        return haveMet ? deadlineNs : deadlineNs + 2 * openNs;
    }

    /** All members have agreed to readmit a process: have them vote on it. */
    synchronized void readmit(final int other, final long incarnation)
    {
        if (!isClosed && null == agreed)
        {
            membership.receive(other, new Return(incarnation));
            notifyAll();
        }
    }

    /** By rank, the processes that the view readmits. */
    synchronized Map<Integer, Long> returned()
    {
        return null == agreed ? Map.of() : list(agreed.returned()).stream()
            .collect(Collectors.toMap(Function.identity(), (other) -> agreed.lives().get(other)));
    }

    /** A rank was lost, as the rendezvous noticed. */
    synchronized void lost(final int other, final Loss loss)
    {
        if (null == outcome && null == agreed)
        {
            tell(other, loss);
        }
        else if (!isClosed && !isViewRepeated && isInView(other))
        {
            // If it sent the view, it may have failed before all others received it.
            isViewRepeated = true;
            outgoing.add(codec.encode(prefix, new Envelope(ALL, new Commit(agreed))));
            wake();
        }
    }

    private boolean isInView(final int other)
    {
        return null != agreed && Status.MEMBER == membership.status() && agreed.alive().contains(other);
    }

    private void tell(final int other, final Loss loss)
    {
        reported.add(other);
        if (Loss.GONE == loss)
        {
            membership.gone(other);
        }
        else
        {
            membership.silent(other);
        }

        notifyAll();
    }

    /** Another rank says something about the group, to this one or to a third. */
    synchronized void receive(final int from, final ByteBuffer bytes)
    {
        final Envelope envelope = codec.decode(bytes);
        final boolean isForThis = !isClosed && (envelope.to() == rank || envelope.to() == ALL);
        if (isForThis && null != agreed)
        {
            answer(from, envelope.message());
            wake();
        }
        else if (isForThis)
        {
            // Messages come again: those that did not answer in time may only have been late, as this one was.
            first.stream().filter((other) -> !reported.contains(other)).forEach(membership::heard);
            membership.receive(from, envelope.message());
            learn();
            // Two that propose at the same time get in each other's way.
            retriedNs = membership.turn() > 0 ? System.nanoTime() : retriedNs;
            // Also where nobody calls this engine at the moment.
            maySend = true;
            wake();
        }
    }

    /** What would be proposed next is left to the next engine: only messages about the first view still go out. */
    private void learn()
    {
        if (null == agreed && membership.view().epoch() > 0)
        {
            agreed = membership.view();
        }
    }

    /** To one that has not heard of the view. */
    private void answer(final int from, final Message message)
    {
        if (!(message instanceof Commit) && message.epoch() < agreed.epoch() && Status.MEMBER == membership.status())
        {
            outgoing.add(codec.encode(prefix, new Envelope(from, new Commit(agreed))));
        }
    }

    private boolean isAboutTheView(final Envelope envelope)
    {
        return null == agreed || envelope.message() instanceof Commit || envelope.message().epoch() < agreed.epoch();
    }

    /**
     * What a call ends with.
     *
     * @param cause        what this rank noticed first, or was told.
     * @param announcement of it, which the others get before anything about the group.
     * @return null while the ranks have not agreed and the deadline has not passed.
     */
    synchronized CallFailedException settle(final CallFailedException cause, final ByteBuffer announcement)
    {
        if (null == failure)
        {
            failure = cause;
            beginNs = System.nanoTime();
            retriedNs = beginNs;
            outgoing.add(announcement);
            maySend = true;
            if (cause.getCause() instanceof PeerFailedException)
            {
                reported.add(cause.peer());
                membership.silent(cause.peer());
            }

            wake();
        }

        outcome = isClosed && null == outcome ? failure : outcome;
        return null == outcome && System.nanoTime() - beginNs > boundNs() + STUCK_NS ? failure : outcome;
    }

    /**
     * All ranks are done with a call: have it count for good, unless an agreement on who is left is under way. Then
     * {@link #isCounted} tells after it.
     *
     * @return whether the call may end well.
     */
    synchronized boolean count()
    {
        final boolean isFree = !isClosed && null == agreed && Status.MEMBER == membership.status() &&
            !membership.isBound();
        if (isFree)
        {
            membership.began();
        }

        return isFree;
    }

    /**
     * Whether a call counts although it had not ended here: it has on a rank that is in the view, after all ranks were
     * done with it.
     *
     * @param call number, from 1.
     */
    synchronized boolean isCounted(final long call)
    {
        return null != agreed && Status.MEMBER == membership.status() && call < agreed.firstCall();
    }

    /**
     * The engine closes: nobody waits for an outcome any more. Ranks that have not heard of the view yet hear of it
     * before they hear that this rank is gone.
     */
    void close()
    {
        final Thread sending;
        synchronized (this)
        {
            if (isClosed)
            {
                return;
            }

            awaitView();
            final boolean isLastWordDue = null != agreed || membership.isBound();
            if (isLastWordDue)
            {
                outgoing.add(ByteBuffer.allocate(Integer.BYTES).putInt(0, lastWord));
            }

            if (null != agreed && Status.MEMBER == membership.status())
            {
                outgoing.add(codec.encode(prefix, new Envelope(ALL, new Commit(agreed))));
            }

            if (isLastWordDue)
            {
                wake();
            }

            isClosed = true;
            outcome = null == outcome ? failure : outcome;
            notifyAll();
            sending = isLastWordDue ? thread : null;
        }

        await(sending);
    }

    /** Others may need the vote of this rank for the view: it leaves them when they have it, or after a while. */
    private void awaitView()
    {
        final long sinceNs = System.nanoTime();
        boolean isInterrupted = false;
        while (null == agreed && membership.isBound() && System.nanoTime() - sinceNs < STUCK_NS && !isInterrupted)
        {
            try
            {
                wait(1);
            }
            catch (final InterruptedException ex)
            {
                isInterrupted = true;
            }

            learn();
        }

        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(final Thread sending)
    {
        final long beginNs = System.nanoTime();
        boolean isInterrupted = false;
        while (null != sending && sending.isAlive() && System.nanoTime() - beginNs < STUCK_NS)
        {
            try
            {
                sending.join(1);
            }
            catch (final InterruptedException ex)
            {
                isInterrupted = true;
            }
        }

        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void wake()
    {
        if (null == thread && !isClosed)
        {
            thread = new Thread(this::run, "transload-group-" + rank);
            thread.setDaemon(true);
            thread.start();
        }

        notifyAll();
    }

    private void run()
    {
        try
        {
            for (List<ByteBuffer> messages = next(); null != messages; messages = next())
            {
                messages.forEach(sender);
            }
        }
        catch (final RendezvousException ex)
        {
            LOGGER.info("rank {}: the group cannot be agreed on: {}", rank, ex.getMessage());
            giveUp();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            giveUp();
        }
    }

    private synchronized void giveUp()
    {
        isClosed = true;
        outcome = null == outcome ? failure : outcome;
    }

    /** Messages to send, when there are any; null once the engine closes. */
    private synchronized List<ByteBuffer> next() throws InterruptedException
    {
        while (true)
        {
            learn();
            advance(System.nanoTime());
            // Others hear what failed before they hear of the group.
            if (maySend)
            {
                membership.takeMessages().stream().filter(this::isAboutTheView)
                    .forEach((envelope) -> outgoing.add(codec.encode(prefix, envelope)));
            }

            if (!outgoing.isEmpty())
            {
                final List<ByteBuffer> taken = List.copyOf(outgoing);
                outgoing.clear();
                return taken;
            }

            if (isClosed)
            {
                return null;
            }

            wait(TimeUnit.NANOSECONDS.toMillis(retryNs));
        }
    }

    private void advance(final long nowNs)
    {
        if (null == failure || null != outcome)
        {
            return;
        }

        if (null == agreed && nowNs - beginNs > boundNs())
        {
            membership.deadlineOver();
        }
        else if (null == agreed && membership.isPending() && isTurn(nowNs))
        {
            retriedNs = nowNs;
            membership.timeoutPassed();
        }

        learn();
        final GroupView view = null == agreed ? membership.view() : agreed;
        if (Status.EVICTED == membership.status())
        {
            outcome = new EvictedException(rank, view.epoch(), list(view.alive()), "rank " + rank +
                " was left out by the other ranks, which did not reach it: view " + view.epoch() + " has " +
                ranks(view.alive()) + "; what it noticed before: " + failure.getMessage(), failure);
        }
        else if (Status.NO_MAJORITY == membership.status())
        {
            outcome = new CallFailedException(Reason.PEER_FAILED, failure.peer(), failure.getMessage() + "; rank " +
                rank + " found no majority of " + ranks(view.alive()) + " to go on with within " +
                TimeUnit.NANOSECONDS.toMillis(boundNs()) + " ms", failure);
        }
        else if (null != agreed)
        {
            final RankSet dead = first.minus(view.alive());
            outcome = new GroupChangedException(view.epoch(), list(view.alive()), list(dead), failure.getMessage() +
                "; view " + view.epoch() + " has " + ranks(view.alive()) +
                (dead.isEmpty() ? "" : ", without " + ranks(dead)), failure);
        }
        else if (nowNs - beginNs > boundNs())
        {
            outcome = failure;
        }
    }

    private boolean isTurn(final long nowNs)
    {
        if (!isLastChanceTaken && nowNs - beginNs > boundNs() / EIGHTHS * LAST_CHANCE)
        {
            isLastChanceTaken = true;
            return true;
        }

        return nowNs - retriedNs >= answerNs() * Math.min(2 * membership.turn() + 1, LAST_TURN);
    }

    private static List<Integer> list(final RankSet ranks)
    {
        return ranks.stream().boxed().collect(Collectors.toList());
    }

    private static String ranks(final RankSet ranks)
    {
        return (1 == ranks.size() ? "rank " : "ranks ") + ranks;
    }
}
