/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.internal.connect.EngineListener;
import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.normal.Board;
import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Word of failure between ranks: a lost member fails the call of every rank, and so does one that gives up or closes.
 * Message: reason ordinal i32, peer i32 (−1 = none), text in UTF-8; −1 i32 and a message about the group; or −2 i32.
 */
public final class Announcements implements EngineListener, FailureExchange
{
    private static final Logger LOGGER = LoggerFactory.getLogger(Announcements.class);
    private static final int HEADER_BYTES = 2 * Integer.BYTES;
    private static final int MAX_TEXT_BYTES = 4096;
    private static final int ABOUT_THE_GROUP = -1;
    /** Of a rank that has taken part in an agreement, and closes. */
    private static final int LAST_WORD = -2;
    /** A rendezvous may tell who waits for a lost rank before it tells its listeners. */
    private static final long NEWS_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Board board;
    private final EngineScope scope;
    private final GroupAgreement agreement;
    private final Consumer<CallFailedException> listener;
    private final Set<Integer> haveVoted = ConcurrentHashMap.newKeySet();
    private volatile boolean isLeaving;
    /** Ranks that have returned, until a call has ended. */
    private volatile Set<Integer> guests;
    /** Waits for them, too, until the engine is open. */
    private Thread opener = Thread.currentThread();

    /**
     * Among the engine's others, which may take a while to open it.
     *
     * @param guests   ranks that have returned and open their first engine: if they cannot, they are lost again.
     * @param listener told once what calls end with, when the engine is retired.
     */
    Announcements(
        final Board board, final EngineScope scope, final Duration liveness, final Duration open,
        final Set<Integer> guests, final Consumer<CallFailedException> listener)
    {
        // A guest itself ends with what it has found.
        this.guests = guests.contains(scope.world().rank()) ? Set.of() : Set.copyOf(guests);
        this.board = board;
        this.scope = scope;
        this.listener = listener;
        this.agreement = new GroupAgreement(
            scope.world().rank(), scope.world().worldSize(), scope.present(), liveness, open, ABOUT_THE_GROUP,
            LAST_WORD, scope::announce);
    }

    /** Hear of others from now on, and of what they told before. */
    void listen()
    {
        scope.listen(this);
    }

    /** All present ranks listen. */
    void met()
    {
        agreement.met();
    }

    /** This rank has opened the engine, or cannot: guests interrupt this thread no more. */
    synchronized void opened()
    {
        opener = null;
        if (hasGuests())
        {
            // If one has closed meanwhile, the engine has failed.
            Thread.interrupted();
        }
    }

    /** Whether what keeps this rank from opening the engine may be due to ranks that have returned. */
    boolean hasGuests()
    {
        return !guests.isEmpty();
    }

    /** This rank closes, so that others may. */
    void leave()
    {
        isLeaving = true;
    }

    /**
     * While the engine opens: what its opening ends with, once the ranks agreed on who is left.
     *
     * @param failure that a lost rank may have caused.
     * @return what they agreed on; the failure itself if no rank is lost, or they do not agree.
     */
    RuntimeException agreed(final RuntimeException failure)
    {
        opened();
        final Set<Integer> blamed = guests;
        final long beginNs = System.nanoTime();
        final boolean isNewsDue = is(failure, RendezvousException.Reason.MEMBER_LOST);
        while (isNewsDue && null == board.failure() && System.nanoTime() - beginNs < NEWS_NS &&
            !Thread.currentThread().isInterrupted())
        {
            LockSupport.parkNanos(POLL_NS);
        }

        final CallFailedException known = board.failure();
        final boolean isLoss = null != known && Reason.PEER_FAILED == known.reason();
        if (!isLoss && blamed.isEmpty())
        {
            return failure;
        }

        // Another rank may have said so before.
        final boolean areBlamed = !isLoss || blamed.contains(known.peer());
        final CallFailedException lost = areBlamed ? without(blamed, failure) : known;
        CallFailedException outcome = settle(lost);
        while (null == outcome && !Thread.currentThread().isInterrupted())
        {
            LockSupport.parkNanos(POLL_NS);
            outcome = settle(lost);
        }

        return null == outcome || outcome == lost ? failure : outcome.again();
    }

    /** The others were in an engine before: what is wrong with this one came with the guests. */
    private CallFailedException without(final Set<Integer> blamed, final RuntimeException failure)
    {
        final int first = blamed.iterator().next();
        if (!is(failure, RendezvousException.Reason.MISSING_RANKS))
        {
            // All were here: only guests may not answer.
            agreement.met();
        }

        blamed.forEach((rank) -> agreement.lost(rank, Loss.SILENT));
        final String message = "rank " + first + ", which has returned, could not take part: " + failure.getMessage();
        board.fail(Reason.PEER_FAILED, first, message, failure);
        return new CallFailedException(Reason.PEER_FAILED, first, message, failure);
    }

    /** This rank waits no more for the others to agree. */
    void close()
    {
        agreement.close();
    }

    @Override
    public void announce(final CallFailedException failure)
    {
        if (Reason.ABORTED_BY_PEER == failure.reason() || Reason.PEER_FAILED == failure.reason())
        {
            return;
        }

        try
        {
            scope.announce(message(failure));
        }
        catch (final RendezvousException ex)
        {
            LOGGER.warn("the others could not be told of '{}': {}", failure.getMessage(), ex.getMessage());
        }
    }

    @Override
    public CallFailedException settle(final CallFailedException failure)
    {
        return Reason.PEER_FAILED == failure.reason() ? agreement.settle(failure, message(failure)) : failure;
    }

    @Override
    public boolean count()
    {
        final boolean isCounted = agreement.count();
        if (isCounted)
        {
            guests = Set.of();
        }

        return isCounted;
    }

    @Override
    public boolean isCounted(final long call)
    {
        return agreement.isCounted(call);
    }

    @Override
    public void over(final CallFailedException outcome)
    {
        listener.accept(outcome);
    }

    /** Have the ranks, who all know of it, agree on a view with a process that has returned; this engine ends. */
    void readmit(final int rank, final long incarnation)
    {
        agreement.readmit(rank, incarnation);
        board.fail(Reason.PEER_FAILED, rank, "rank " + rank + " is to be readmitted", null);
    }

    /** By rank, the processes that the next view readmits. */
    Map<Integer, Long> returned()
    {
        return agreement.returned();
    }

    /** Whether the rank that closes is a guest. The thread that opens this engine then stops waiting for it. */
    private synchronized boolean isWithoutGuest(final int rank)
    {
        final boolean isGuest = guests.contains(rank);
        if (isGuest)
        {
            board.fail(Reason.PEER_FAILED, rank, "rank " + rank + ", which has returned, could not take part", null);
            if (null != opener)
            {
                opener.interrupt();
            }
        }

        return isGuest;
    }

    private static boolean is(final RuntimeException failure, final RendezvousException.Reason reason)
    {
        return failure instanceof RendezvousException && reason == ((RendezvousException)failure).reason();
    }

    private static ByteBuffer message(final CallFailedException failure)
    {
        final byte[] text = failure.getMessage().getBytes(StandardCharsets.UTF_8);
        final ByteBuffer message = ByteBuffer.allocate(HEADER_BYTES + Math.min(text.length, MAX_TEXT_BYTES));
        message.putInt(failure.reason().ordinal()).putInt(failure.peer());
        return message.put(text, 0, Math.min(text.length, MAX_TEXT_BYTES)).flip();
    }

    @Override
    public void onMemberLost(final Member member, final Loss loss, final String reason)
    {
        agreement.lost(member.rank(), loss);
        board.fail(Reason.PEER_FAILED, member.rank(), member.describe() + " failed: " + reason, null);
    }

    @Override
    public void onClosed(final int rank)
    {
        // It says nothing any more. What it has agreed to counts all the same.
        agreement.lost(rank, haveVoted.contains(rank) ? Loss.SILENT : Loss.GONE);
        if (isWithoutGuest(rank))
        {
            return;
        }

        if (!isLeaving)
        {
            board.fail(Reason.ABORTED_BY_PEER, rank, "rank " + rank + " closed the engine", null);
        }
    }

    @Override
    public void onAnnouncement(final int rank, final ByteBuffer message)
    {
        final ByteBuffer copy = message.duplicate();
        final int ordinal = copy.getInt();
        if (LAST_WORD == ordinal)
        {
            haveVoted.add(rank);
            return;
        }

        if (ABOUT_THE_GROUP == ordinal)
        {
            agreement.receive(rank, copy);
            board.fail(Reason.PEER_FAILED, -1, "rank " + rank + " lost another rank", null);
            return;
        }

        final int peer = copy.getInt();
        final String text = StandardCharsets.UTF_8.decode(copy).toString();
        final Reason reason = Reason.values()[ordinal];
        final boolean isTheirs = Reason.PEER_FAILED == reason || Reason.MISMATCH == reason;
        board.fail(isTheirs ? reason : Reason.ABORTED_BY_PEER, isTheirs && peer != scope.world().rank() ? peer : rank,
            text + " (told by rank " + rank + ")", null);
    }
}
