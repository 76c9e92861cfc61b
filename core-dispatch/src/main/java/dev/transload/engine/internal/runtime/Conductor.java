/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.BadInputException;
import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.normal.Board;
import dev.transload.engine.internal.normal.Call;
import dev.transload.engine.internal.normal.Confirmation;
import dev.transload.engine.internal.normal.Role;
import dev.transload.engine.internal.wire.StatusPage;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * Takes calls in the order of submission, starts them on the board, ends them when all roles finished, and aborts the
 * one under way when its deadline passed or something failed. After an abort the rings' generation is retired.
 */
public final class Conductor
{
    /** Calls that may wait. */
    static final int QUEUE_LENGTH = 1024;
    private static final long STATUS_INTERVAL_NS = 100_000_000L;
    private static final int RECORD_TRIES = 1000;
    private static final long QUIET_TIMEOUT_NS = 2_000_000_000L;

    private final Board board;
    private final Geometry geometry;
    private final ArenaMap map;
    private final List<ProgressThread> threads;
    private final FailureExchange exchange;
    private final Diagnosis diagnosis;
    private final Consumer<Call> entry;
    private final CallRecorder recorder;
    /** Where a call ends only when all ranks are done with it; else null. */
    private final Confirmation confirmation;
    private final ManyToOneConcurrentArrayQueue<Call> queue = new ManyToOneConcurrentArrayQueue<>(QUEUE_LENGTH);
    private volatile long completed;
    private long number;
    private final Wait copies = new Wait();
    private Call current;
    private boolean isBegun;
    /** This rank is done with the call under way. */
    private boolean isDone;
    /** All ranks are, and it counts whatever happens. */
    private boolean isCounted;
    private long statusNs;
    private long abortNs;
    private boolean isAborting;
    private Thread announcing;
    /** What calls end with, once that is known. */
    private volatile CallFailedException outcome;
    private volatile boolean isRetired;
    private volatile boolean isStopped;

    /**
     * For all threads.
     *
     * @param threads   of the engine; the first one runs this.
     * @param exchange  of failures between ranks.
     * @param metaLinks connections of the first thread for meta messages, to all ranks that it exchanges them with.
     * @param confirmation by which calls end only when all ranks are done with them, or null.
     */
    public Conductor(
        final Board board, final Geometry geometry, final ArenaMap map, final List<ProgressThread> threads,
        final FailureExchange exchange, final List<Connection> metaLinks, final CallStatistics book,
        final Confirmation confirmation)
    {
        this.confirmation = confirmation;
        this.board = board;
        this.geometry = geometry;
        this.map = map;
        this.threads = threads;
        this.exchange = exchange;
        this.entry = book::enter;
        this.recorder = new CallRecorder(geometry.world().rank(), new LiveCounters(book, threads));
        this.diagnosis = new Diagnosis(map, metaLinks, geometry.world().rank());
    }

    /**
     * Refuse what comes after a failure or the end, before its inputs are looked at.
     *
     * @throws CallFailedException if the engine is retired.
     */
    public void requireAlive()
    {
        final CallFailedException failure = board.failure();
        if (null != outcome)
        {
            throw retired(outcome);
        }

        // A call that comes while ranks agree on who is left ends with what they agree on.
        if (null != failure && Reason.PEER_FAILED != failure.reason())
        {
            throw retired(failure);
        }
    }

    /**
     * Submit a call.
     *
     * @throws CallFailedException   if the engine is retired.
     * @throws IllegalStateException if too many calls wait.
     */
    public void submit(final Call call)
    {
        requireAlive();
        if (!queue.offer(call))
        {
            throw tooMany();
        }

        if (isStopped)
        {
            refuseAll();
        }
    }

    static IllegalStateException tooMany()
    {
        return new IllegalStateException(
            QUEUE_LENGTH + " calls are waiting already: await some before submitting more");
    }

    /** Calls that ended well. */
    public long completed()
    {
        return completed;
    }

    /**
     * Begin, watch or end a call.
     *
     * @param nowNs time, {@link System#nanoTime()} or a little less.
     */
    int doWork(final long nowNs)
    {
        if (isRetired)
        {
            return refuseAll();
        }

        if (isAborting)
        {
            return abort();
        }

        if (null != board.failure())
        {
            return beginAbort();
        }

        return null == current ? startNext() : isBegun ? watch(nowNs) : begin(nowNs);
    }

    private int startNext()
    {
        final Call call = queue.poll();
        if (null == call)
        {
            return 0;
        }

        final long startNs = System.nanoTime();
        call.start(board.view(), ++number, startNs);
        recorder.start(call);
        diagnosis.reset();
        current = call;
        isBegun = false;
        isDone = false;
        isCounted = false;
        writeStatus(number, null);
        begin(startNs);
        return 1;
    }

    private int begin(final long nowNs)
    {
        try
        {
            isBegun = current.isBegun(threads.get(0).kernels());
        }
        catch (final BadInputException ex)
        {
            board.fail(Reason.BAD_INPUT, -1, current.describe() + ": " + ex.getMessage(), ex);
            return 1;
        }

        if (isBegun)
        {
            board.activate(current);
            return 1;
        }

        keepTime(nowNs);
        return 0;
    }

    private int watch(final long nowNs)
    {
        final Call call = current;
        int work = 0;
        if (isDone || isFinished() && call.isWritten(threads.get(0).kernels()))
        {
            work = confirm();
            if (isCounted && call.isRecorded(threads.get(0).kernels()))
            {
                current = null;
                isDone = false;
                board.activate(null);
                writeStatus(StatusPage.NO_CALL, null);
                endWell(call);
                return 1;
            }
        }
        else
        {
            // Receivers, and of a dispatch the notifier, which fills what pads the output.
            call.sendTopk(threads.get(0).kernels(), geometry.channels() + (call.isCombine() ? 0 : 1));
        }

        keepTime(nowNs);
        return work;
    }

    private void endWell(final Call call)
    {
        completed++;
        recorder.end(call, null);
        call.end(null, entry);
    }

    /** The own part is done. */
    private int confirm()
    {
        if (isCounted || null == confirmation)
        {
            isCounted = true;
            return 0;
        }

        int work = 0;
        if (!isDone)
        {
            isDone = true;
            confirmation.begin(number);
            work++;
        }

        work += confirmation.step();
        isCounted = confirmation.isComplete() && exchange.count();
        return work;
    }

    private void keepTime(final long nowNs)
    {
        if (diagnosis.isUnderWay())
        {
            final String verdict = diagnosis.poll(nowNs);
            if (null != verdict)
            {
                board.fail(Reason.DEADLINE, diagnosis.rank(), current.describe() + " missed its deadline of " +
                    current.timeoutNs() / 1_000_000 + " ms on rank " + geometry.world().rank() + ": " + verdict, null);
            }
        }
        else if (nowNs - current.startNs() > current.timeoutNs())
        {
            diagnosis.begin(nearestWait(), nowNs);
        }
        else if (nowNs - statusNs > STATUS_INTERVAL_NS)
        {
            statusNs = nowNs;
            publishStatus();
        }
    }

    private boolean isFinished()
    {
        for (int i = 0, size = threads.size(); i < size; i++)
        {
            final List<Role<?>> roles = threads.get(i).roles();
            for (int j = 0, count = roles.size(); j < count; j++)
            {
                if (roles.get(j).finishedCall() != number)
                {
                    return false;
                }
            }
        }

        return true;
    }

    private void publishStatus()
    {
        writeStatus(number, nearestWait());
    }

    private void writeStatus(final long call, final Wait wait)
    {
        StatusPage.write(map.statusUp.buffer(), call, wait);
        if (geometry.nodes() > 1)
        {
            StatusPage.write(map.statusOut.buffer(), call, wait);
        }
    }

    /** Where no role has begun, or all are done, the call waits for copies. */
    private Wait nearestWait()
    {
        if (isDone && confirmation.isWaiting(copies))
        {
            return copies;
        }

        if (!isBegun || isFinished())
        {
            return current.mirrors().describe(copies, geometry.world().rank(), threads.get(0).kernels());
        }

        Wait nearest = null;
        for (int i = 0, size = threads.size(); i < size; i++)
        {
            final Wait wait = threads.get(i).report();
            if (null != wait &&
                (null == nearest || isNearer(wait, nearest, geometry.world().rank(), current.isCombine())))
            {
                nearest = wait;
            }
        }

        return nearest;
    }

    /**
     * A wait for another rank tells more than one for the own. A stalled channel is nearest, then what has
     * not come yet; else what {@link dev.transload.engine.WaitCounter#isNearer} says.
     */
    static boolean isNearer(final Wait wait, final Wait than, final int ownRank, final boolean isCombine)
    {
        final boolean isOwn = wait.rank() == ownRank;
        final boolean isThanOwn = than.rank() == ownRank;
        if (isOwn != isThanOwn)
        {
            return isThanOwn;
        }

        if (wait.isStalled() != than.isStalled())
        {
            return wait.isStalled();
        }

        return wait.isOpen() != than.isOpen() ? wait.isOpen() : wait.counter().isNearer(than.counter(), isCombine);
    }

    private int beginAbort()
    {
        isAborting = true;
        abortNs = System.nanoTime();
        board.revoke();
        for (int i = 0; isDone && i < RECORD_TRIES && !current.isRecorded(threads.get(0).kernels()); i++)
        {
            // It may still count, and kernels are closed next.
            threads.get(0).kernels().progress();
        }

        final CallFailedException failure = board.failure();
        if (Reason.RETIRED != failure.reason())
        {
            // A rendezvous may block on the very peer that died: the channels don't wait for it, nor the caller long.
            announcing = new Thread(() -> exchange.announce(failure), "transload-announcement");
            announcing.setDaemon(true);
            announcing.start();
        }

        return 1;
    }

    private int abort()
    {
        final CallFailedException settled = exchange.settle(board.failure());
        if (null == settled || !isQuiet() && System.nanoTime() - abortNs < QUIET_TIMEOUT_NS)
        {
            return 0;
        }

        outcome = settled;
        isRetired = true;
        final Call call = current;
        current = null;
        try
        {
            board.activate(null);
            if (null != call && isDone && (isCounted || exchange.isCounted(call.number())))
            {
                endWell(call);
            }
            else if (null != call)
            {
                recorder.end(call, settled);
                call.end(settled, entry);
            }
        }
        finally
        {
            exchange.over(settled);
        }

        return 1;
    }

    private boolean isQuiet()
    {
        for (final ProgressThread thread : threads)
        {
            if (!thread.isQuiet())
            {
                return false;
            }
        }

        return null == announcing || !announcing.isAlive();
    }

    /** No thread conducts any more: calls that are submitted from now on are refused at once. */
    public void stop()
    {
        isStopped = true;
        refuseAll();
    }

    /** Called by the conducting thread, and by others once there is none. */
    private synchronized int refuseAll()
    {
        int work = 0;
        for (Call call = queue.poll(); null != call; call = queue.poll())
        {
            call.end(retired(null == outcome ? board.failure() : outcome), entry);
            work++;
        }

        return work;
    }

    /** Why nothing can be submitted any more. */
    private static CallFailedException retired(final CallFailedException failure)
    {
        // A dead peer is news for the next call too; anything else was told to the call that failed.
        return Reason.PEER_FAILED == failure.reason() || Reason.EVICTED == failure.reason() ? failure.again() :
            new CallFailedException(
                Reason.RETIRED, failure.peer(), "the engine is retired: " + failure.getMessage(), failure);
    }

    /**
     * Whether the abort is over and everything waiting was refused.
     *
     * @return true if nothing will happen any more.
     */
    public boolean isRetired()
    {
        return isRetired && queue.isEmpty();
    }
}
