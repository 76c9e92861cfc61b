/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/**
 * One buffer set's dispatch and combine, step by step: each step begins and goes on by {@link #doWork} until it is
 * done. The roles belong to both sets, so that one step of one of them is under way at a time.
 */
final class Exchange
{
    enum Phase
    {
        FREE, SENDING, SENT, RECEIVING, RECEIVED, ANSWERING, ANSWERED, SUMMING, RELEASING
    }

    /** Who does it. */
    record Roles(
        DispatchSender dispatchSender, DispatchReceiver dispatchReceiver, CombineSender combineSender,
        CombineReceiver combineReceiver, Patience patience, Figures figures)
    {
    }

    /** Time-outs after which a step ends: when no rank is awaited any more, kernels have one more to finish. */
    private static final int SHARE = Patience.LONGEST + 1;

    private final BufferSet set;
    private final Roles roles;
    private LowLatencyCombineRequest combine;
    private Phase phase = Phase.FREE;
    private long timeoutNs;
    private long deadlineNs;

    Exchange(final BufferSet set, final Roles roles)
    {
        this.set = set;
        this.roles = roles;
    }

    void dispatch(final LowLatencyDispatchRequest request, final long call, final long patienceNs, final long nowNs)
    {
        begin(Phase.SENDING, patienceNs, nowNs);
        set.begin(call, request);
        roles.dispatchSender().begin(set);
        roles.figures().bytesSent += set.lanes.bytes();
    }

    void receive(final long nowNs)
    {
        begin(Phase.RECEIVING, timeoutNs, nowNs);
        roles.dispatchReceiver().begin(set, nowNs);
    }

    void combine(final LowLatencyCombineRequest request, final long patienceNs, final long nowNs)
    {
        begin(Phase.ANSWERING, patienceNs, nowNs);
        combine = request;
        roles.combineSender().begin(set, request.x());
        roles.figures().bytesSent += set.lanes.bytes();
    }

    void receiveAnswers(final long nowNs)
    {
        begin(Phase.SUMMING, timeoutNs, nowNs);
        roles.combineReceiver().begin(set, combine, nowNs);
    }

    void release(final long nowNs)
    {
        begin(Phase.RELEASING, timeoutNs, nowNs);
        roles.combineSender().begin(set, null);
    }

    private void begin(final Phase next, final long patienceNs, final long nowNs)
    {
        phase = next;
        timeoutNs = patienceNs;
        deadlineNs = nowNs + SHARE * patienceNs;
        roles.patience().begin(patienceNs, nowNs);
    }

    /** Go on with the step that is under way; 0 where there was nothing to do. */
    int doWork(final long nowNs)
    {
        final boolean isPatient = nowNs - deadlineNs < 0;
        roles.patience().doWork(nowNs);
        return switch (phase)
        {
            case SENDING -> ended(roles.dispatchSender().doWork(nowNs), roles.dispatchSender().isDone(),
                Phase.SENT);
            case RECEIVING -> ended(roles.dispatchReceiver().doWork(nowNs, isPatient),
                roles.dispatchReceiver().isDone(), Phase.RECEIVED);
            case ANSWERING -> ended(roles.combineSender().doWork(nowNs), roles.combineSender().isDone(),
                Phase.ANSWERED);
            case SUMMING -> ended(roles.combineReceiver().doWork(nowNs, isPatient),
                roles.combineReceiver().isDone(), Phase.FREE);
            case RELEASING -> ended(roles.combineSender().doWork(nowNs), roles.combineSender().isDone(),
                Phase.FREE);
            default -> 0;
        };
    }

    private int ended(final int work, final boolean isDone, final Phase next)
    {
        phase = isDone ? next : phase;
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
