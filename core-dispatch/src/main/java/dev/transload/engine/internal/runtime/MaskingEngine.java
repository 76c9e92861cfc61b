/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.BadInputException;
import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.CallTime;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.CombineResult;
import dev.transload.engine.Completion;
import dev.transload.engine.DispatchHandle;
import dev.transload.engine.DispatchLayout;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.EngineCounters;
import dev.transload.engine.EngineStatistics;
import dev.transload.engine.GroupChangedException;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.OutputLayout;
import dev.transload.engine.PeerWait;
import dev.transload.engine.RoleTime;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.TrafficCount;
import dev.transload.engine.World;
import dev.transload.engine.internal.connect.Admission;
import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.connect.Resources;
import dev.transload.engine.internal.connect.SharedTransports;
import dev.transload.engine.internal.normal.CallChecks;
import dev.transload.engine.internal.plan.Plan;
import dev.transload.engine.internal.plan.PlanHandle;
import dev.transload.engine.internal.plan.SendLayout;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.spi.Capabilities;
import dev.transload.spi.MemoryKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The normal mode that goes on when ranks are lost. Engines follow one another over the same transports, each without
 * the ranks that the one before has lost, or with one that has returned. A call that an engine did not complete is made
 * again by the next one. An engine completes a call only when all ranks are done with it, so that what one rank has
 * completed no other rank has to make again, and inputs are the caller's again when its call has ended.
 */
final class MaskingEngine implements Engine
{
    private enum State
    {
        /** The present engine takes calls, unless others wait. */
        RUNNING,
        /** It has lost ranks, and the next one opens: calls wait. */
        REPLACING,
        /** It has failed for good. */
        OVER,
        /** The caller has closed it. */
        CLOSED
    }

    /** An engine, its place in the context, and its number among those that followed one another. */
    private record View(NormalEngine engine, EngineScope scope, int epoch)
    {
        private boolean hasSame(final int rank, final View other)
        {
            return engine.world().isPresent(rank) && scope.incarnation(rank) == other.scope.incarnation(rank);
        }
    }

    private static final Logger LOGGER = LoggerFactory.getLogger(MaskingEngine.class);
    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(100);
    /** How long after the rendezvous an engine may hear of a loss. */
    private static final long NEWS_NS = TimeUnit.SECONDS.toNanos(1);
    /** Longest wait for the next engine, in liveness timeouts. */
    private static final int SETTLE_FACTOR = 4;
    private static final int NONE = -1;

    private final SharedTransports context;
    private final boolean isOwner;
    private final KernelRegistry kernels;
    private final Object lock = new Object();
    /** Held while the present engine is driven, retired or replaced; before the lock, where both are. */
    private final ReentrantLock driving = new ReentrantLock(true);
    /** Held while the caller closes it, before both. */
    private final Object closing = new Object();
    /** Calls that the present engine has, in order. */
    private final Deque<MaskedCall<?>> made = new ArrayDeque<>();
    /** Calls that it does not have yet, in order; only the worker takes them out. */
    private final Deque<MaskedCall<?>> waiting = new ArrayDeque<>();
    private final List<View> earlier = new ArrayList<>();
    private volatile EngineConfig settings;
    private volatile NormalEngine present;
    /** Place of the present engine, or of the next one while it opens. */
    private EngineScope scope;
    /** Of the present engine. */
    private View view;
    /** Ranks that have returned, while they open their first engine. */
    private Set<Integer> guests = Set.of();
    /** How often the present engine's ranks have told each other who asks to be readmitted. */
    private int rounds;
    /** The first engine since ranks were last readmitted. */
    private int readmission;
    /** The last one that was begun. */
    private MaskedReadmission readmitting;
    /** The worker waits for what others know, in the present engine. */
    private boolean isTelling;
    private volatile State state = State.REPLACING;
    /** Number of the present engine, or of the next one while it opens. */
    private volatile int epoch;
    /** The last engine that has ended, and with what. */
    private int endedEpoch = NONE;
    private CallFailedException ended;
    /** Why there is no next engine, or null. */
    private volatile CallFailedException failure;
    private Thread worker;
    private long calls;

    private MaskingEngine(
        final EngineConfig settings, final SharedTransports context, final boolean isOwner,
        final KernelRegistry kernels)
    {
        this.settings = settings;
        this.context = context;
        this.isOwner = isOwner;
        this.kernels = kernels;
    }

    /**
     * Open.
     *
     * @param context with no other engines.
     * @param isOwner whether it is closed with the engine, or when that cannot be opened.
     */
    static Engine open(
        final EngineConfig settings, final SharedTransports context, final boolean isOwner,
        final KernelRegistry kernels)
    {
        final MaskingEngine engine = new MaskingEngine(settings, context, isOwner, kernels);
        context.reserve();
        final boolean isReturning = context.isReturning();
        try
        {
            if (isReturning)
            {
                engine.awaitAdmission();
            }

            engine.present = engine.openNext();
            engine.view = new View(engine.present, engine.scope, engine.epoch);
            engine.run();
        }
        catch (final RuntimeException | Error ex)
        {
            engine.leaveContext();
            throw ex;
        }

        if (isReturning)
        {
            engine.begin();
        }

        return engine;
    }

    /** The first call is the readmission that the others are in. */
    private void begin()
    {
        try
        {
            final Completion<List<Integer>> first = readmit();
            if (!isDriven())
            {
                // More ranks may come back in it.
                first.await();
            }
        }
        catch (final RuntimeException | Error ex)
        {
            end();
            throw ex;
        }
    }

    /** The others are in a readmission. */
    private void awaitAdmission()
    {
        final Admission admission = context.awaitAdmission(settings.openTimeout());
        guests = Set.of(context.rank());
        settings = settings.only(admission.present());
        calls = admission.call() - 1;
    }

    /** An engine of those that are left, even if more are lost while it opens. */
    private NormalEngine openNext()
    {
        while (true)
        {
            final int own = epoch;
            scope = context.join();
            rounds = 0;
            try
            {
                final NormalEngine next =
                    NormalEngine.open(settings, scope, guests, kernels, (outcome) -> over(own, outcome));
                guests = Set.of();
                return next;
            }
            catch (final GroupChangedException ex)
            {
                if (State.CLOSED == state)
                {
                    throw closed();
                }

                goOnWithout(ex);
            }
        }
    }

    private void goOnWithout(final GroupChangedException loss)
    {
        LOGGER.warn("going on without ranks {}: {}", loss.dead(), loss.getMessage());
        goOnWith(loss.alive());
    }

    private void goOnWith(final List<Integer> ranks)
    {
        settings = settings.only(ranks);
        guests = guests.stream().filter(ranks::contains).collect(Collectors.toSet());
        synchronized (lock)
        {
            epoch++;
        }
    }

    /** An engine ends with an outcome; called by its first thread. */
    private void over(final int of, final CallFailedException outcome)
    {
        synchronized (lock)
        {
            endedEpoch = of;
            ended = outcome;
            if (of == epoch)
            {
                stopTelling();
            }

            if (State.RUNNING == state)
            {
                look();
            }
        }
    }

    /** The present engine takes calls from now on, unless it has ended already. */
    private void run()
    {
        synchronized (lock)
        {
            if (State.REPLACING == state)
            {
                state = State.RUNNING;
                look();
            }
        }
    }

    /** With the lock: see what to do next. */
    private void look()
    {
        if (State.RUNNING == state && endedEpoch == epoch)
        {
            state = ended instanceof GroupChangedException ? State.REPLACING : State.OVER;
        }

        if (null == worker && isWorkLeft())
        {
            final Thread thread = new Thread(this::work, "transload-recovery-" + present.world().rank());
            thread.setDaemon(true);
            thread.start();
            worker = thread;
        }

        lock.notifyAll();
    }

    private boolean isWorkLeft()
    {
        return State.REPLACING == state || State.CLOSED != state && null == failure && !waiting.isEmpty();
    }

    private void work()
    {
        try
        {
            while (true)
            {
                final MaskedCall<?> call;
                synchronized (lock)
                {
                    if (!isWorkLeft())
                    {
                        worker = null;
                        lock.notifyAll();
                        return;
                    }

                    call = State.REPLACING == state ? null : waiting.peek();
                }

                if (null == call)
                {
                    replace();
                }
                else
                {
                    make(call);
                }
            }
        }
        catch (final RuntimeException | Error ex)
        {
            giveUp(ex);
        }
    }

    /** The present engine has lost ranks: what it did not complete, the next one makes. */
    private void replace()
    {
        final GroupChangedException loss;
        synchronized (lock)
        {
            loss = (GroupChangedException)ended;
        }

        whileNotDriven(present::retire);
        final Map<Integer, Long> returned = present.returned();
        if (returned.isEmpty())
        {
            goOnWithout(loss);
        }
        else
        {
            goOnWith(loss.alive(), returned);
        }

        final NormalEngine next = openNext();
        whileNotDriven(() -> present(next));
        awaitConnected(next);
        run();
    }

    private void goOnWith(final List<Integer> ranks, final Map<Integer, Long> returned)
    {
        LOGGER.info("going on with ranks {}, of which {} have returned", ranks, returned.keySet());
        guests = Set.copyOf(returned.keySet());
        goOnWith(ranks);
        synchronized (lock)
        {
            readmission = epoch;
        }

        readmitting.add(returned);
        context.admit(readmitting.number(), ranks, returned);
    }

    private void whileNotDriven(final Runnable work)
    {
        driving.lock();
        try
        {
            work.run();
        }
        finally
        {
            driving.unlock();
        }
    }

    private void present(final NormalEngine next)
    {
        synchronized (lock)
        {
            earlier.add(view);
            view = new View(next, scope, epoch);
            present = next;
            final List<MaskedCall<?>> again = made.stream().filter(MaskedCall::isLost).toList();
            made.clear();
            for (int i = again.size() - 1; i >= 0; i--)
            {
                waiting.addFirst(again.get(i));
            }
        }
    }

    /** An engine without threads connects while its caller drives it; any other has connected. */
    private void awaitConnected(final NormalEngine next)
    {
        while (!next.isReady() && !next.hasFailed() && State.CLOSED != state)
        {
            LockSupport.parkNanos(POLL_NS);
        }

        // Then it tells what it has ended with.
        while (next.hasFailed() && State.REPLACING == state && !hasEnded())
        {
            LockSupport.parkNanos(POLL_NS);
        }
    }

    private boolean hasEnded()
    {
        synchronized (lock)
        {
            return endedEpoch == epoch;
        }
    }

    /** Have the present engine make a call that waits, routed again where its handle is of an earlier one. */
    private void make(final MaskedCall<?> call)
    {
        try
        {
            if (call instanceof final MaskedReadmission one)
            {
                readmit(one);
            }
            else if (isTooOld(call))
            {
                drop(call);
                call.fail(tooOld());
            }
            else if (isRouted(call) || route(call))
            {
                // While it waits, no other call is made.
                call.make(present, epoch);
                synchronized (lock)
                {
                    waiting.remove(call);
                    made.add(call);
                }
            }
        }
        catch (final GroupChangedException ex)
        {
            awaitEnd();
        }
        catch (final RuntimeException ex)
        {
            refuse(call, ex);
        }
    }

    private void drop(final MaskedCall<?> call)
    {
        synchronized (lock)
        {
            waiting.remove(call);
        }
    }

    /** All ranks are at this call. What one of them knows of the others, all know. */
    private void readmit(final MaskedReadmission call)
    {
        readmitting = call;
        final NormalEngine engine = present;
        if (!haveEarlierCallsEnded())
        {
            return;
        }

        if (call.isOverdue(settings.callTimeout(), epoch))
        {
            throw new CallFailedException(Reason.DEADLINE, NONE, "rank " + engine.world().rank() + " could not learn " +
                "within transload.timeouts.call = " + settings.callTimeout().toMillis() + " ms which processes all " +
                "ranks know of", null);
        }

        final Map<Integer, Long> processes = tellEachOther(engine.world());
        if (!haveAllBeenTold(engine, null != processes))
        {
            return;
        }

        if (processes.isEmpty())
        {
            drop(call);
            call.complete();
            return;
        }

        // Each view readmits one.
        final Map.Entry<Integer, Long> first = processes.entrySet().iterator().next();
        engine.readmit(first.getKey(), first.getValue());
        awaitEnd();
    }

    /** The deadline begins with the call; false if the engine ends or closes meanwhile. */
    private boolean haveEarlierCallsEnded()
    {
        while (true)
        {
            synchronized (lock)
            {
                if (State.OVER == state)
                {
                    present.requireAlive();
                }

                if (State.RUNNING != state)
                {
                    return false;
                }

                if (made.stream().allMatch(MaskedCall::isDone))
                {
                    return true;
                }
            }

            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** Processes to readmit that all ranks know of; null if a rank was lost meanwhile. */
    private Map<Integer, Long> tellEachOther(final World world)
    {
        final Map<Integer, Long> mine = context.returning();
        mine.keySet().removeIf(world::isPresent);
        if (!isTelling(true))
        {
            return null;
        }

        try
        {
            return MaskedReadmission.knownToAll(scope.allGather(
                "readmit." + rounds++, Admission.encode(mine), settings.callTimeout()));
        }
        catch (final RendezvousException ex)
        {
            if (RendezvousException.Reason.MISSING_RANKS == ex.reason())
            {
                throw new CallFailedException(Reason.DEADLINE, NONE, "rank " + world.rank() +
                    " waited for all ranks to call readmit() within transload.timeouts.call: " + ex.getMessage(), ex);
            }

            if (RendezvousException.Reason.MEMBER_LOST == ex.reason() || Thread.interrupted() || hasStoppedTelling())
            {
                return null;
            }

            throw ex;
        }
        finally
        {
            isTelling(false);
        }
    }

    /** With the lock: others may have left the exchange, as this rank is to do. */
    private void stopTelling()
    {
        if (isTelling)
        {
            worker.interrupt();
        }
    }

    private boolean hasStoppedTelling()
    {
        synchronized (lock)
        {
            return endedEpoch == epoch || State.CLOSED == state;
        }
    }

    /** Whether the exchange may begin, the present engine having not ended; or it is over. */
    private boolean isTelling(final boolean isBegun)
    {
        synchronized (lock)
        {
            isTelling = isBegun && endedEpoch != epoch && State.CLOSED != state;
            if (!isTelling)
            {
                // Of the end of the engine, if at all.
                Thread.interrupted();
            }

            return isTelling;
        }
    }

    /** Ranks that were told send a row to each rank, the others none: so all know whether all were. */
    private boolean haveAllBeenTold(final NormalEngine engine, final boolean isTold)
    {
        final int ranks = engine.world().size();
        try (InnerDispatch vote = new InnerDispatch(this, engine, isTold ? ranks : 0, 1))
        {
            for (int rank = 0; isTold && rank < ranks; rank++)
            {
                vote.select(rank, 0, rank);
            }

            final DispatchResult result = vote.make(ranks, null, (request) -> request
                .layout(OutputLayout.RANK_MAJOR).expertAlignment(1));
            if (null == result)
            {
                return false;
            }

            result.handle().close();
            return result.rows() == engine.config().world().present().size();
        }
    }

    private boolean isTooOld(final MaskedCall<?> call)
    {
        return null != call.handle() && call.handle().isBefore(readmission);
    }

    private static BadInputException tooOld()
    {
        return new BadInputException(
            "the handle is of a dispatch before ranks were readmitted, which do not have it: it can only be closed");
    }

    /** All ranks make this call: none of them may wait for this one. */
    private void refuse(final MaskedCall<?> call, final RuntimeException ex)
    {
        final Reason reason = ex instanceof BadInputException ? Reason.BAD_INPUT : Reason.INTERNAL;
        final CallFailedException told = ex instanceof final CallFailedException known ? known :
            new CallFailedException(reason, NONE, "a call could not be made: " + ex.getMessage(), ex);
        present.fail(reason, NONE, told.getMessage());
        awaitEnd();
        synchronized (lock)
        {
            if (State.REPLACING == state)
            {
                // Others were not told, since ranks were lost before: they make it by the next engine.
                return;
            }

            waiting.remove(call);
        }

        call.fail(told);
    }

    private boolean isRouted(final MaskedCall<?> call)
    {
        final PlanHandle routed = null == call.handle() ? null : call.handle().of(epoch);
        return null == call.handle() || null != routed && call.isInOrder(routed);
    }

    /** An engine tells its callers that it has lost ranks before it tells this one. */
    private void awaitEnd()
    {
        synchronized (lock)
        {
            while (State.RUNNING == state)
            {
                waitUninterruptibly(lock, 1);
            }
        }
    }

    /**
     * Route the selections of a handle without the ranks that were lost since, once the call's device work has passed.
     *
     * @return false if the engine closes meanwhile; the memory is in use until then.
     */
    private boolean route(final MaskedCall<?> call)
    {
        final Plan plan = call.handle().routed().plan();
        final SendLayout layout = plan.sendLayout();
        try (InnerDispatch routing = new InnerDispatch(this, present, layout.tokens(), layout.topk()))
        {
            for (int token = 0; token < layout.tokens(); token++)
            {
                for (int k = 0; k < layout.topk(); k++)
                {
                    routing.select(token, k, layout.expert(token, k));
                }
            }

            final DispatchResult result = routing.make(layout.expertsOfCall(), call.timeout(), (request) -> request
                .layout(plan.layout()).expertAlignment(plan.alignment()).waitFor(call.waitFor()));
            if (null != result)
            {
                call.handle().route((PlanHandle)result.handle(), epoch);
            }

            return null != result;
        }
    }

    boolean isClosing()
    {
        return State.CLOSED == state;
    }

    private void giveUp(final Throwable reason)
    {
        final int rank = present.world().rank();
        LOGGER.warn("rank {} cannot go on without the lost ranks", rank, reason);
        final CallFailedException told = reason instanceof final CallFailedException known ? known :
            new CallFailedException(Reason.INTERNAL, NONE, "rank " + rank + " cannot go on without the lost ranks: " +
            reason, reason);
        present.fail(Reason.INTERNAL, NONE, told.getMessage());
        synchronized (lock)
        {
            failure = told;
            state = State.CLOSED == state ? state : State.OVER;
        }

        try
        {
            endUnmade(told);
        }
        finally
        {
            synchronized (lock)
            {
                worker = null;
                lock.notifyAll();
            }
        }
    }

    /** Why no engine follows, or null. */
    CallFailedException failure()
    {
        return failure;
    }

    /** No engine makes the calls that are left. */
    private void endUnmade(final CallFailedException reason)
    {
        final List<MaskedCall<?>> left = new ArrayList<>();
        synchronized (lock)
        {
            made.stream().filter(MaskedCall::isLost).forEach(left::add);
            left.addAll(waiting);
            waiting.clear();
        }

        left.forEach((call) -> call.fail(reason));
    }

    /** Wait for a monitor that this thread holds; an interrupt is kept. */
    static void waitUninterruptibly(final Object monitor, final long millis)
    {
        boolean isInterrupted = Thread.interrupted();
        try
        {
            monitor.wait(millis);
        }
        catch (final InterruptedException ex)
        {
            isInterrupted = true;
        }

        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Wait until the processes of lost ranks of the node have ended, at most for the liveness timeout.
     *
     * @param since epoch of the first engine in which they could write to what is meant.
     * @return a rank whose process was not seen to end, -1 if there is none.
     */
    int awaitEndOfLostRanks(final int since)
    {
        final long beginNs = System.nanoTime();
        int writer = lostRankThatMayWrite(since);
        while (writer >= 0 && System.nanoTime() - beginNs < settings.livenessTimeout().toNanos())
        {
            LockSupport.parkNanos(POLL_NS);
            writer = lostRankThatMayWrite(since);
        }

        return writer;
    }

    /**
     * A lost rank of the node whose process was not seen to end.
     *
     * @param since epoch of the first engine in which it could write to what is meant.
     * @return rank, -1 if there is none.
     */
    int lostRankThatMayWrite(final int since)
    {
        final List<View> before;
        final View now;
        synchronized (lock)
        {
            before = earlier.stream().filter((one) -> one.epoch >= since).toList();
            now = view;
        }

        final World world = now.engine.world();
        return IntStream.range(0, world.ranksOf(world.node())).map((local) -> world.rankAt(world.node(), local))
            .filter((rank) -> before.stream().anyMatch((one) -> one.engine.world().isPresent(rank) &&
                !now.hasSame(rank, one) && !context.isGone(rank, one.scope.incarnation(rank))))
            .findFirst().orElse(NONE);
    }

    private <T> Completion<T> submit(final MaskedCall<T> call)
    {
        try
        {
            synchronized (lock)
            {
                requireOpen();
                while (!made.isEmpty() && made.peek().isDone())
                {
                    made.remove();
                }

                // All of them fit into the queue of the next engine, and one that routes.
                if (made.size() + waiting.size() >= Conductor.QUEUE_LENGTH - 1)
                {
                    throw Conductor.tooMany();
                }

                if (isTooOld(call))
                {
                    // Others may have taken it before they knew.
                    calls++;
                    throw tooOld();
                }

                if (State.REPLACING == state || !waiting.isEmpty() || call instanceof MaskedReadmission ||
                    !isRouted(call) || !isMade(call))
                {
                    call.check(present);
                    waiting.add(call);
                    look();
                }

                call.taken(++calls);
            }

            return call;
        }
        catch (final RuntimeException | Error ex)
        {
            synchronized (lock)
            {
                waiting.remove(call);
            }

            call.fail(new IllegalStateException("the call was refused", ex));
            throw ex;
        }
    }

    private void requireOpen()
    {
        if (null != failure)
        {
            throw failure.again();
        }

        if (State.CLOSED == state)
        {
            throw closed();
        }

        if (State.OVER == state)
        {
            present.requireAlive();
        }
    }

    private static CallFailedException closed()
    {
        return new CallFailedException(Reason.RETIRED, NONE, "the engine is retired: it was closed", null);
    }

    private boolean isMade(final MaskedCall<?> call)
    {
        try
        {
            call.make(present, epoch);
            made.add(call);
            return true;
        }
        catch (final GroupChangedException ex)
        {
            return false;
        }
    }

    @Override
    public Completion<DispatchResult> dispatch(final DispatchRequest request)
    {
        return submit(new MaskedDispatch(this, null == request.handle() ? null : retain(request.handle()), request));
    }

    @Override
    public Completion<CombineResult> combine(final CombineRequest request)
    {
        return submit(new MaskedCombine(this, retain(request.handle()), request));
    }

    @Override
    public Completion<List<Integer>> readmit()
    {
        if (settings.maxExperts() < settings.worldSize())
        {
            throw new IllegalStateException("transload.max-experts = " + settings.maxExperts() + " is not allowed: " +
                "to readmit ranks, must be at least the number of ranks, " + settings.worldSize());
        }

        return submit(new MaskedReadmission(this));
    }

    @Override
    public long calls()
    {
        synchronized (lock)
        {
            return calls;
        }
    }

    private MaskedHandle retain(final DispatchHandle handle)
    {
        if (!(handle instanceof final MaskedHandle own) || !own.isOf(this))
        {
            throw CallChecks.notOwned();
        }

        if (!own.retain())
        {
            throw CallChecks.notOpen();
        }

        return own;
    }

    boolean isDriven()
    {
        return 0 == present.config().threads();
    }

    /** One duty cycle of an engine without threads, and a rest if there was nothing to do. */
    void cycle()
    {
        whileNotDriven(() -> present.cycle());
    }

    @Override
    public int doWork()
    {
        // The worker needs the engine that has ended.
        if (driving.hasQueuedThreads() || !driving.tryLock())
        {
            return 0;
        }

        try
        {
            return present.doWork();
        }
        finally
        {
            driving.unlock();
        }
    }

    @Override
    public boolean drive(final BooleanSupplier until)
    {
        present.requireDriven();
        while (!until.getAsBoolean())
        {
            if (isOver() && present.isRetired())
            {
                return until.getAsBoolean();
            }

            cycle();
        }

        return true;
    }

    private boolean isOver()
    {
        synchronized (lock)
        {
            return (State.OVER == state || State.CLOSED == state) && null == worker && waiting.isEmpty();
        }
    }

    @Override
    public World world()
    {
        return present.world();
    }

    @Override
    public EngineConfig config()
    {
        return present.config();
    }

    @Override
    public int number()
    {
        return present.number();
    }

    @Override
    public List<Capabilities> transports()
    {
        return present.transports();
    }

    @Override
    public TensorMemory allocateHost(final long bytes)
    {
        return present.allocateHost(bytes);
    }

    @Override
    public TensorMemory allocatePayload(final long bytes)
    {
        return present.allocatePayload(bytes);
    }

    @Override
    public TensorMemory register(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        return present.register(kind, device, address, bytes);
    }

    @Override
    public TensorMemory registerLocal(
        final MemoryKind kind, final int device, final long address, final long bytes)
    {
        return present.registerLocal(kind, device, address, bytes);
    }

    @Override
    public DispatchLayout layout(final Tensor topkIdx, final int experts)
    {
        return present.layout(topkIdx, experts);
    }

    @Override
    public EngineStatistics statistics()
    {
        return present.statistics();
    }

    @Override
    public EngineCounters counters()
    {
        return new EngineCounters()
        {
            @Override
            public List<CallTime> calls()
            {
                return present.counters().calls();
            }

            @Override
            public List<TrafficCount> traffic()
            {
                return present.counters().traffic();
            }

            @Override
            public List<PeerWait> waits()
            {
                return present.counters().waits();
            }

            @Override
            public List<RoleTime> roles()
            {
                return present.counters().roles();
            }

            @Override
            public long backPressure()
            {
                return present.counters().backPressure();
            }

            @Override
            public long stagedBytes()
            {
                return present.counters().stagedBytes();
            }
        };
    }

    @Override
    public boolean isReady()
    {
        return State.REPLACING != state && present.isReady();
    }

    @Override
    public void awaitReady()
    {
        final long beginNs = System.nanoTime();
        while (!isReady())
        {
            synchronized (lock)
            {
                requireOpen();
            }

            if (System.nanoTime() - beginNs > settings.openTimeout().toNanos())
            {
                throw new CallFailedException(Reason.DEADLINE, NONE, "rank " + present.world().rank() +
                    " was not connected within transload.timeouts.open = " + settings.openTimeout().toMillis() + " ms",
                    null);
            }

            if (isDriven())
            {
                cycle();
            }
            else
            {
                LockSupport.parkNanos(POLL_NS);
            }
        }
    }

    /** Where a rank is lost meanwhile, others may still ask whether calls have ended here. */
    @Override
    public void awaitOthers()
    {
        NormalEngine waited;
        do
        {
            waited = present;
            if (waited.hasFailed() || !waited.haveOthersMet())
            {
                awaitSettled(waited);
            }
        }
        while (waited != present);
    }

    private void awaitSettled(final NormalEngine engine)
    {
        final long beginNs = System.nanoTime();
        final long mostNs = SETTLE_FACTOR * settings.livenessTimeout().toNanos();
        synchronized (lock)
        {
            while (isUnsettled(engine, System.nanoTime() - beginNs) && System.nanoTime() - beginNs < mostNs)
            {
                waitUninterruptibly(lock, 1);
            }
        }
    }

    private boolean isUnsettled(final NormalEngine engine, final long passedNs)
    {
        return State.REPLACING == state ||
            engine == present && State.RUNNING == state && (engine.hasFailed() || passedNs < NEWS_NS);
    }

    @Override
    public void close()
    {
        synchronized (closing)
        {
            if (State.CLOSED == state)
            {
                return;
            }

            if (!isDriven())
            {
                awaitOthers();
            }

            end();
        }
    }

    private void end()
    {
        synchronized (lock)
        {
            state = State.CLOSED;
            stopTelling();
            lock.notifyAll();
            while (null != worker && worker.isAlive())
            {
                waitUninterruptibly(lock, 1);
            }
        }

        try
        {
            whileNotDriven(this::closeEngines);
        }
        finally
        {
            endUnmade(closed());
            leaveContext();
        }
    }

    private void closeEngines()
    {
        final Resources engines = new Resources();
        earlier.forEach((one) -> engines.add(one.engine::close));
        engines.add(present::close);
        engines.close();
    }

    private void leaveContext()
    {
        context.release();
        if (isOwner)
        {
            context.close();
        }
    }
}
