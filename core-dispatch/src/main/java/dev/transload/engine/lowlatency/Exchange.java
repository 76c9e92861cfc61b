/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import org.agrona.concurrent.NanoClock;

/**
 * One buffer set's dispatch and combine, step by step: each step begins and goes on by {@link #doWork} until it is
 * done. One step of one set is under way at a time. While what was sent is on its way, the next step is prepared.
 */
final class Exchange
{
    enum Phase
    {
        FREE, SENDING, SENT, RECEIVING, RECEIVED, ANSWERING, ANSWERED, SUMMING, RELEASING
    }

    /** Who does it; all but mask, patience and figures for this set alone, so that two results may overlap. */
    record Roles(
        int ownRank, DispatchSender dispatchSender, DispatchReceiver dispatchReceiver, CombineSender combineSender,
        CombineReceiver combineReceiver, RankMask mask, WaitTimeout patience, CallCounters figures)
    {
    }

    private static final long NS_PER_MS = 1_000_000;

    private final BufferSet set;
    private final Roles roles;
    private LowLatencyCombineRequest combine;
    private Phase phase = Phase.FREE;
    private boolean isBegun;
    private long timeoutNs;
    private long deadlineNs;
    private long beganNs;
    private long spentNs;
    private boolean isLate;

    Exchange(final BufferSet set, final Roles roles)
    {
        this.set = set;
        this.roles = roles;
    }

    void dispatch(final LowLatencyDispatchRequest request, final long call, final long patienceNs)
    {
        set.begin(call, request);
        enter(Phase.SENDING, patienceNs);
    }

    void receive()
    {
        enter(Phase.RECEIVING, timeoutNs);
    }

    void combine(final LowLatencyCombineRequest request, final long patienceNs)
    {
        combine = request;
        enter(Phase.ANSWERING, patienceNs);
    }

    void receiveAnswers()
    {
        enter(Phase.SUMMING, timeoutNs);
    }

    void release()
    {
        enter(Phase.RELEASING, timeoutNs);
    }

    /** The step begins with the first work on it, so that whatever fails there ends the engine as all else does. */
    private void enter(final Phase next, final long patienceNs)
    {
        phase = next;
        timeoutNs = patienceNs;
        isBegun = false;
    }

    /** Go on with the step that is under way; 0 where there was nothing to do. */
    int doWork(final NanoClock clock)
    {
        if (!isUnderWay())
        {
            return 0;
        }

        final long nowNs = clock.nanoTime();
        if (!isBegun)
        {
            isBegun = true;
            isLate = false;
            beganNs = nowNs;
            deadlineNs = nowNs + WaitTimeout.LONGEST * timeoutNs;
            roles.patience().begin(timeoutNs, nowNs);
            begin(nowNs);
        }

        roles.patience().doWork(nowNs);
        final Phase step = phase;
        final int work = work(nowNs);
        if (!isUnderWay())
        {
            // Asked again: that may have been all of the step.
            count(step, clock.nanoTime() - beganNs);
        }
        else if (nowNs - deadlineNs >= 0)
        {
            requireInTime(nowNs);
        }

        return work;
    }

    /**
     * No rank is awaited any more, only kernels of this one. They have another time-out from the moment when that is
     * noticed: this thread may have been stopped, and they with it.
     */
    private void requireInTime(final long nowNs)
    {
        if (isLate)
        {
            throw new CallFailedException(Reason.DEADLINE, roles.ownRank(), "rank " + roles.ownRank() +
                "'s row kernels did not " + (Phase.SENDING == phase ? "cast or send" :
                Phase.RECEIVING == phase ? "pack" : "sum") + " the rows of low-latency dispatch " + set.call +
                " within " + (WaitTimeout.LONGEST + 1) + " times the time-out of " +
                timeoutNs / NS_PER_MS + " ms", null);
        }

        isLate = true;
        deadlineNs = nowNs + timeoutNs;
    }

    private void begin(final long nowNs)
    {
        switch (phase)
        {
            case SENDING ->
            {
                roles.dispatchSender().begin();
                roles.dispatchReceiver().prepare();
            }
            case RECEIVING -> roles.dispatchReceiver().begin(nowNs);
            case ANSWERING ->
            {
                roles.combineSender().begin(combine.x());
                roles.combineReceiver().prepare(combine);
            }
            case SUMMING -> roles.combineReceiver().begin(nowNs);
            default -> roles.combineSender().begin(null);
        }

        if (Phase.SENDING == phase)
        {
            roles.figures().sent(LowLatencyCall.DISPATCH, set.lanes.bytes());
        }
        else if (Phase.ANSWERING == phase)
        {
            roles.figures().sent(LowLatencyCall.COMBINE, set.lanes.bytes());
        }
    }

    /** A call is sent, later received; what the caller does between counts for nothing. */
    private void count(final Phase step, final long ns)
    {
        switch (step)
        {
            case SENDING, ANSWERING -> spentNs = ns;
            case RECEIVING -> roles.figures().ended(LowLatencyCall.DISPATCH, spentNs + ns);
            case SUMMING ->
            {
                roles.figures().leftOut(set.leftOut);
                roles.figures().ended(LowLatencyCall.COMBINE, spentNs + ns);
            }
            default ->
            {
                // What is released is no call.
            }
        }
    }

    private int work(final long nowNs)
    {
        return switch (phase)
        {
            case SENDING -> send(nowNs);
            case RECEIVING -> ended(roles.dispatchReceiver().doWork(nowNs), roles.dispatchReceiver().isDone(),
                Phase.RECEIVED);
            case ANSWERING -> answer(nowNs);
            case SUMMING -> ended(roles.combineReceiver().doWork(nowNs), roles.combineReceiver().isDone(),
                Phase.FREE);
            default -> ended(roles.combineSender().doWork(nowNs), roles.combineSender().isDone(), Phase.FREE);
        };
    }

    private int send(final long nowNs)
    {
        final DispatchSender sender = roles.dispatchSender();
        int work = sender.doWork(nowNs);
        if (sender.isSubmitted() && !sender.isDone())
        {
            work += roles.dispatchReceiver().listAhead();
        }

        return ended(work, sender.isDone(), Phase.SENT);
    }

    private int answer(final long nowNs)
    {
        final CombineSender sender = roles.combineSender();
        final int work = sender.doWork(nowNs);
        return ended(sender.isDone() ? work : work + roles.combineReceiver().listAhead(), sender.isDone(),
            Phase.ANSWERED);
    }

    /** Whoever waits for this rank has got what the step had for it, when channels of masked ranks are closed. */
    private int ended(final int work, final boolean isDone, final Phase next)
    {
        if (isDone)
        {
            roles.mask().closeChannels();
            phase = next;
        }

        return work;
    }

    boolean isUnderWay()
    {
        return switch (phase)
        {
            case SENDING, RECEIVING, ANSWERING, SUMMING, RELEASING -> true;
            default -> false;
        };
    }

    Phase phase()
    {
        return phase;
    }

    BufferSet set()
    {
        return set;
    }
}
