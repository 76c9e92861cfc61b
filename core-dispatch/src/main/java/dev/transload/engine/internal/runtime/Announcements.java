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
    /** Whose process has ended. */
    private final Set<Integer> gone = ConcurrentHashMap.newKeySet();
    private final Set<Integer> haveVoted = ConcurrentHashMap.newKeySet();
    private volatile boolean isLeaving;

    /**
     * Among the engine's others, which may take a while to open it.
     *
     * @param listener told once what calls end with, when the engine is retired.
     */
    Announcements(
        final Board board, final EngineScope scope, final Duration liveness, final Duration open,
        final Consumer<CallFailedException> listener)
    {
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
        final long beginNs = System.nanoTime();
        final boolean isNewsDue = failure instanceof RendezvousException &&
            RendezvousException.Reason.MEMBER_LOST == ((RendezvousException)failure).reason();
        while (isNewsDue && null == board.failure() && System.nanoTime() - beginNs < NEWS_NS &&
            !Thread.currentThread().isInterrupted())
        {
            LockSupport.parkNanos(POLL_NS);
        }

        final CallFailedException lost = board.failure();
        if (null == lost || Reason.PEER_FAILED != lost.reason())
        {
            return failure;
        }

        CallFailedException outcome = settle(lost);
        while (null == outcome && !Thread.currentThread().isInterrupted())
        {
            LockSupport.parkNanos(POLL_NS);
            outcome = settle(lost);
        }

        return null == outcome || outcome == lost ? failure : outcome.again();
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
        return agreement.count();
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

    /** Whether a rank's process has ended, so that it writes nowhere any more. */
    boolean isGone(final int rank)
    {
        return gone.contains(rank);
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
        if (Loss.GONE == loss)
        {
            gone.add(member.rank());
        }

        agreement.lost(member.rank(), loss);
        board.fail(Reason.PEER_FAILED, member.rank(), member.describe() + " failed: " + reason, null);
    }

    @Override
    public void onClosed(final int rank)
    {
        // It says nothing any more. What it has agreed to counts all the same.
        agreement.lost(rank, haveVoted.contains(rank) ? Loss.SILENT : Loss.GONE);
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
