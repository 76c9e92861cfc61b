/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.jgroups.Address;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * From "joined the group" to "the world is formed". Rank 0 collects the claims of all, checks them, sends the roster,
 * and once every rank has said that it can reach every other, declares the world formed: nothing that a rank sends
 * afterwards can miss another. Trouble ends the forming on all ranks alike. Thread-safe.
 */
final class Formation
{
    /** Sends control messages; never blocks the caller. */
    interface Sender
    {
        /** @param to null for all, this process included. */
        void send(Address to, byte[] message);
    }

    /** What rank 0's answer to {@link Envelope.Kind#ASK} may take beyond the deadline. */
    private static final long ANSWER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

    private final Claim own;
    private final Sender sender;
    private final Map<Address, Envelope.Entry> comers = new LinkedHashMap<>();
    private final Set<Address> gone = new HashSet<>();
    private final Set<Address> ready = new HashSet<>();
    private final Set<Integer> presentRanks = new TreeSet<>();
    private List<Address> view = List.of();
    private Address seed;
    private List<Envelope.Entry> roster = List.of();
    private int attempt;
    private boolean isReadySent;
    private boolean isTold;
    private boolean isFormed;
    private RendezvousException failure;

    Formation(final Claim own, final Sender sender)
    {
        this.own = own;
        this.sender = sender;
        presentRanks.add(own.rank());
    }

    synchronized void onView(final List<Address> members)
    {
        gone.addAll(view);
        members.forEach(gone::remove);
        view = List.copyOf(members);
        if (isFormed)
        {
            return;
        }
        if (isSeed())
        {
            // Who is not in the view yet may have come: a member says so as soon as it is in its own view.
            comers.keySet().removeAll(gone);
            if (!roster.isEmpty() && !members.containsAll(addresses(roster)))
            {
                roster = List.of();
            }
            proposeRoster();
        }
        else
        {
            checkSeedIsThere();
            confirmRoster();
        }
    }

    /** At rank 0: a process came. */
    synchronized void onHello(final Envelope.Entry comer)
    {
        if (!isSeed() || gone.contains(comer.address()))
        {
            return;
        }
        final RendezvousException trouble = examine(comer);
        if (null == trouble)
        {
            comers.put(comer.address(), comer);
            proposeRoster();
        }
        else if (isFormed)
        {
            sender.send(comer.address(),
                Envelope.trouble(Envelope.Kind.FAILED, trouble.reason(), trouble.getMessage()));
        }
        else
        {
            sender.send(null, Envelope.trouble(Envelope.Kind.FAILED, trouble.reason(), trouble.getMessage()));
        }
    }

    /** At rank 0: somebody's time is up. */
    synchronized void onAsk(final Address from)
    {
        if (isSeed())
        {
            sender.send(from, Envelope.present(ranksOfComers()));
        }
    }

    synchronized void onPresent(final List<Integer> ranks)
    {
        presentRanks.clear();
        presentRanks.addAll(ranks);
        presentRanks.add(own.rank());
        isTold = true;
        notifyAll();
    }

    synchronized void onRoster(final int number, final List<Envelope.Entry> entries)
    {
        if (isSeed() && (number != attempt || roster.isEmpty()))
        {
            return;
        }
        attempt = number;
        roster = List.copyOf(entries);
        isReadySent = false;
        confirmRoster();
    }

    /** At rank 0: a rank can reach all others. */
    synchronized void onReady(final Address from, final int number)
    {
        if (isSeed() && !isFormed && number == attempt && !roster.isEmpty() && ready.add(from) &&
            ready.containsAll(addresses(roster)))
        {
            sender.send(null, Envelope.numbered(Envelope.Kind.FORMED, attempt));
        }
    }

    synchronized boolean onFormed(final int number)
    {
        if (isFormed || null != failure || number != attempt || roster.isEmpty())
        {
            return false;
        }
        isFormed = true;
        notifyAll();
        return true;
    }

    /** Empty unless the world can be formed by that attempt. */
    synchronized List<Envelope.Entry> rosterOf(final int number)
    {
        return number == attempt && null == failure ? roster : List.of();
    }

    /** Rank 0 ended the forming, or refused this process. */
    synchronized void onFailed(final RendezvousException trouble)
    {
        if (!isFormed && null == failure)
        {
            failure = trouble;
            notifyAll();
        }
    }

    /** At rank 0: another process has reason to end the forming. */
    synchronized void onComplaint(final RendezvousException trouble)
    {
        if (isSeed() && !isFormed)
        {
            sender.send(null, Envelope.trouble(Envelope.Kind.FAILED, trouble.reason(), trouble.getMessage()));
        }
    }

    /** Another process came to this one's own address with this one's rank. */
    synchronized void onRival(final Claim rival)
    {
        if (!isFormed && !view.isEmpty())
        {
            sender.send(view.get(0), Envelope.trouble(Envelope.Kind.COMPLAINT, Reason.DUPLICATE_RANK,
                duplicateSentence(own, rival)));
        }
    }

    /** Waits until the world is formed; throws what prevented it. */
    synchronized List<Envelope.Entry> await(final long deadlineNs, final long timeoutMs)
    {
        awaitUntil(deadlineNs, () -> isFormed || null != failure);
        if (!isFormed && null == failure)
        {
            if (!isSeed())
            {
                sender.send(seed, Envelope.bare(Envelope.Kind.ASK));
                awaitUntil(deadlineNs + ANSWER_TIMEOUT_NS, () -> isFormed || null != failure || isTold);
            }
            failure = isFormed || null != failure ? failure : missingRanks(timeoutMs);
        }
        if (null != failure)
        {
            throw failure;
        }
        return roster;
    }

    synchronized boolean isFormed()
    {
        return isFormed;
    }

    synchronized boolean isAlone()
    {
        return view.size() <= 1;
    }

    synchronized List<Address> view()
    {
        return view;
    }

    boolean isSeed()
    {
        return own.rank() == 0;
    }

    static String duplicateSentence(final Claim first, final Claim second)
    {
        return "two processes claim one rank: " + first.member().describe() + " and " + second.member().describe() +
            "; give each process a rank of its own";
    }

    /** Rank 0 itself is there, even where its own hello is still on its way through its queues. */
    private List<Integer> ranksOfComers()
    {
        return Stream.concat(Stream.of(own.rank()), comers.values().stream().map(comer -> comer.claim().rank()))
            .distinct().toList();
    }

    private RendezvousException examine(final Envelope.Entry comer)
    {
        final Claim claim = comer.claim();
        if (claim.worldSize() != own.worldSize())
        {
            return new RendezvousException(Reason.WORLD_MISMATCH, own.member().describe() + " was told a world of " +
                own.worldSize() + " ranks, " + claim.member().describe() + " one of " + claim.worldSize() +
                "; give all ranks the same world size");
        }
        if (claim.rank() < 0 || claim.rank() >= own.worldSize())
        {
            return new RendezvousException(Reason.WORLD_MISMATCH, claim.member().describe() +
                " is outside of the world; in a world of " + own.worldSize() + " ranks 0 to " +
                (own.worldSize() - 1) + " is allowed");
        }
        for (final Envelope.Entry known : comers.values())
        {
            if (known.claim().rank() == claim.rank() && !known.address().equals(comer.address()))
            {
                return new RendezvousException(Reason.DUPLICATE_RANK, duplicateSentence(known.claim(), claim));
            }
        }
        return null;
    }

    private void proposeRoster()
    {
        if (roster.isEmpty() && comers.size() == own.worldSize() && view.containsAll(comers.keySet()))
        {
            roster = comers.values().stream().sorted(Comparator.comparingInt(comer -> comer.claim().rank())).toList();
            attempt++;
            ready.clear();
            sender.send(null, Envelope.roster(attempt, roster));
        }
    }

    private void confirmRoster()
    {
        if (!isReadySent && !roster.isEmpty() && view.containsAll(addresses(roster)))
        {
            isReadySent = true;
            sender.send(roster.get(0).address(), Envelope.numbered(Envelope.Kind.READY, attempt));
        }
    }

    private void checkSeedIsThere()
    {
        if (null == seed)
        {
            seed = view.get(0);
        }
        if (!view.contains(seed))
        {
            onFailed(new RendezvousException(Reason.MEMBER_LOST,
                "rank 0 was lost before the world formed; start all ranks again"));
        }
    }

    private void awaitUntil(final long untilNs, final BooleanSupplier condition)
    {
        for (long leftNs = untilNs - System.nanoTime(); leftNs > 0 && !condition.getAsBoolean();
            leftNs = untilNs - System.nanoTime())
        {
            try
            {
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(leftNs, TimeUnit.MILLISECONDS.toNanos(1)));
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
                throw new RendezvousException(Reason.CLOSED,
                    own.member().describe() + " was interrupted while it waited for the other ranks", ex);
            }
        }
    }

    private RendezvousException missingRanks(final long timeoutMs)
    {
        if (isSeed())
        {
            presentRanks.clear();
            presentRanks.addAll(ranksOfComers());
        }
        final List<Integer> missing = IntStream.range(0, own.worldSize()).boxed()
            .filter(rank -> !presentRanks.contains(rank)).toList();
        final String sentence = missing.isEmpty() ?
            "all ranks came, but not all reached each other within " + timeoutMs + " ms" :
            (missing.size() == 1 ? "rank " : "ranks ") +
            missing.stream().map(String::valueOf).collect(Collectors.joining(", ")) + " of " + own.worldSize() +
            " did not come within " + timeoutMs + " ms";
        final RendezvousException trouble = new RendezvousException(Reason.MISSING_RANKS, sentence);
        if (isSeed())
        {
            sender.send(null, Envelope.trouble(Envelope.Kind.FAILED, trouble.reason(), trouble.getMessage()));
        }
        return trouble;
    }

    private static Collection<Address> addresses(final List<Envelope.Entry> entries)
    {
        return entries.stream().map(Envelope.Entry::address).toList();
    }
}
