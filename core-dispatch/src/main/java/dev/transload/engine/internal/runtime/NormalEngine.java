/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.BadInputException;
import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.CombineResult;
import dev.transload.engine.Completion;
import dev.transload.engine.DispatchLayout;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.EngineCounters;
import dev.transload.engine.EngineStatistics;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.TransportContext;
import dev.transload.engine.World;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.internal.config.HostRule;
import dev.transload.engine.internal.config.PayloadRule;
import dev.transload.engine.internal.config.TransportRule;
import dev.transload.engine.internal.connect.Bootstrap;
import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.connect.Resources;
import dev.transload.engine.internal.connect.SharedTransports;
import dev.transload.engine.internal.normal.Board;
import dev.transload.engine.internal.normal.Call;
import dev.transload.engine.internal.normal.CallChecks;
import dev.transload.engine.internal.normal.CombineCall;
import dev.transload.engine.internal.normal.DispatchCall;
import dev.transload.engine.internal.normal.TopkMirrors;
import dev.transload.engine.internal.plan.Plan;
import dev.transload.engine.internal.plan.PlanHandle;
import dev.transload.engine.internal.plan.SendLayout;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/** The normal mode: checks and routes what a caller submits, and has the engine's parts do it. */
final class NormalEngine implements Engine
{
    private static final Duration MAX_TIMEOUT = Duration.ofDays(365);

    private final EngineConfig config;
    private final EngineParts parts;
    private final AtomicLong calls = new AtomicLong();

    private NormalEngine(final EngineConfig config, final EngineParts parts)
    {
        this.config = config;
        this.parts = parts;
    }

    static Engine open(final EngineConfig settings, final TransportContext context, final KernelRegistry kernels)
    {
        return open(settings, SharedTransports.join(context), Set.of(), kernels, (outcome) -> {});
    }

    /**
     * Open in a place of a context.
     *
     * @param guests  ranks that have returned and open their first engine: if they cannot, they are lost again.
     * @param retired told once what calls end with, when the engine is retired.
     */
    static NormalEngine open(
        final EngineConfig settings, final EngineScope scope, final Set<Integer> guests, final KernelRegistry kernels,
        final Consumer<CallFailedException> retired)
    {
        final Resources kept = new Resources();
        kept.add(scope);
        final Resources resources = new Resources();
        Announcements announcements = null;
        try
        {
            final EngineConfig resolved = TransportRule.settle(settings, scope.transports(), scope.world().rank());
            scope.only(resolved.world().present());
            final Board board = new Board();
            announcements = new Announcements(board, scope, resolved.livenessTimeout(),
                resolved.openTimeout(), guests, retired);
            resources.add(announcements::close);
            announcements.listen();
            final HostShare host = Bootstrap.meet(scope, "normal", resolved);
            announcements.met();
            final EngineConfig config =
                HostRule.settle(PayloadRule.settle(resolved, kernels, scope.world()), host);
            final EngineParts parts = new EngineParts(
                config, host, scope, kernels, board, announcements, resources, kept);
            parts.open();
            announcements.opened();
            return new NormalEngine(config, parts);
        }
        catch (final RendezvousException | TransportException ex)
        {
            final RuntimeException outcome =
                null == announcements || ex instanceof ConfigurationException && !announcements.hasGuests() ? ex :
                announcements.agreed(ex);
            close(resources, kept);
            throw outcome;
        }
        catch (final RuntimeException | Error ex)
        {
            close(resources, kept);
            throw ex;
        }
    }

    private static void close(final Resources resources, final Resources kept)
    {
        try (kept; resources)
        {
            // Closes the latter first.
        }
    }

    @Override
    public World world()
    {
        return parts.world();
    }

    @Override
    public EngineConfig config()
    {
        return config;
    }

    @Override
    public int number()
    {
        return parts.number();
    }

    @Override
    public List<Capabilities> transports()
    {
        return parts.transports();
    }

    @Override
    public TensorMemory allocateHost(final long bytes)
    {
        return parts.allocate(MemoryKind.HOST, 0, bytes);
    }

    @Override
    public TensorMemory allocatePayload(final long bytes)
    {
        return parts.allocate(config.payloadKind(), config.device(), bytes);
    }

    @Override
    public TensorMemory register(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        return parts.register(kind, device, address, bytes);
    }

    @Override
    public TensorMemory registerLocal(
        final MemoryKind kind, final int device, final long address, final long bytes)
    {
        return parts.registerLocal(kind, device, address, bytes);
    }

    @Override
    public DispatchLayout layout(final Tensor topkIdx, final int experts)
    {
        CallChecks.layout(config, topkIdx, experts);
        final SendLayout layout = new SendLayout(parts.geometry());
        layout.compute(topkIdx.view(), topkIdx.rows(), topkIdx.columns(), experts, parts.planWorkers());
        return Layouts.of(layout, parts.geometry());
    }

    @Override
    public Completion<DispatchResult> dispatch(final DispatchRequest request)
    {
        parts.requireAlive();
        final long timeoutNs = timeoutNs(request.timeout());
        CallChecks.dispatch(config, request);
        final boolean isCached = null != request.handle();
        final PlanHandle handle = isCached ? CallChecks.handle(parts, request.handle()) : openRoutes(request);
        return submit(handle.plan(), (mirrors) ->
        {
            if (isCached)
            {
                CallChecks.cached(request, handle.plan());
            }
            else
            {
                mirrors.route(request.topkIdx(), (idx) -> handle.plan().sendLayout().compute(
                    idx.view(), idx.rows(), idx.columns(), request.experts(), parts.planWorkers()));
            }

            final DispatchCall call = new DispatchCall(
                isCached ? DispatchCall.Kind.CACHED_DISPATCH : DispatchCall.Kind.DISPATCH, parts.geometry(), handle,
                isCached ? handle.plan().sendLayout().experts() : parts.geometry().paddedExperts(request.experts()),
                request.x(), request.xScales(), mirrors.weights(request.topkWeights()), request.output(),
                null == request.allocator() ? parts::allocateOutput : request.allocator(), timeoutNs, parts.driver());
            call.chain(request.waitFor(), request.record(), mirrors);
            return call;
        });
    }

    private PlanHandle openRoutes(final DispatchRequest request)
    {
        final Plan plan = parts.plan();
        plan.open(
            null == request.layout() ? config.output() : request.layout(),
            0 == request.expertAlignment() ? config.expertAlignment() : request.expertAlignment());
        plan.retain();
        return new PlanHandle(plan);
    }

    /** The plan is retained for the call already; a call that is not taken gives them back. */
    private <T extends Call> T submit(final Plan plan, final Function<TopkMirrors, T> calls)
    {
        final TopkMirrors mirrors = parts.mirrors();
        boolean isSubmitted = false;
        try
        {
            final T call = calls.apply(mirrors);
            parts.submit(call);
            isSubmitted = true;
            this.calls.incrementAndGet();
            return call;
        }
        finally
        {
            if (!isSubmitted)
            {
                mirrors.release();
                plan.release();
            }
        }
    }

    @Override
    public Completion<CombineResult> combine(final CombineRequest request)
    {
        parts.requireAlive();
        final long timeoutNs = timeoutNs(request.timeout());
        final Plan plan = CallChecks.handle(parts, request.handle()).plan();
        return submit(plan, (mirrors) -> combineCall(request, plan, timeoutNs, mirrors));
    }

    private CombineCall combineCall(
        final CombineRequest request, final Plan plan, final long timeoutNs, final TopkMirrors mirrors)
    {
        CallChecks.combine(config, request, plan);
        final boolean isWeighted = null != request.topkWeights();
        final Tensor output = null != request.output() ? request.output() :
            parts.allocateRows(plan.tokens(), request.x().columns());
        final Tensor outputWeights = !isWeighted || null != request.outputWeights() ? request.outputWeights() :
            parts.allocateWeights(plan.tokens(), plan.sendLayout().topk());
        final CombineCall call = new CombineCall(
            plan, request.x(), mirrors.weights(request.topkWeights()), request.bias0(), request.bias1(), output,
            outputWeights, mirrors.outputWeights(outputWeights),
            parts.isReadInPlace(), timeoutNs, parts.driver());
        call.chain(request.waitFor(), request.record(), mirrors);
        return call;
    }

    /**
     * Refuse a dispatch that is not taken yet, as {@link #dispatch} would.
     *
     * @param plan of its handle, or null.
     */
    void check(final DispatchRequest request, final Plan plan)
    {
        timeoutNs(request.timeout());
        CallChecks.dispatch(config, request);
        if (null != plan)
        {
            CallChecks.cached(request, plan);
        }
        else if (request.topkIdx().memory().kind().isHost())
        {
            layout(request.topkIdx(), request.experts());
        }
    }

    /** Refuse a combine of rows of a plan that is not taken yet, as {@link #combine} would. */
    void check(final CombineRequest request, final Plan plan)
    {
        timeoutNs(request.timeout());
        CallChecks.combine(config, request, plan);
    }

    private long timeoutNs(final Duration requested)
    {
        final Duration timeout = null == requested ? config.callTimeout() : requested;
        if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(MAX_TIMEOUT) > 0)
        {
            throw new BadInputException(
                "timeout = " + timeout + " is not allowed: must be positive and at most " + MAX_TIMEOUT);
        }

        return timeout.toNanos();
    }

    @Override
    public Completion<List<Integer>> readmit()
    {
        throw new IllegalStateException("only an engine with transload.on-peer-failure = mask readmits ranks; this " +
            "one has transload.on-peer-failure = fail");
    }

    @Override
    public long calls()
    {
        return calls.get();
    }

    @Override
    public EngineStatistics statistics()
    {
        return parts.statistics();
    }

    @Override
    public EngineCounters counters()
    {
        return parts.counters();
    }

    @Override
    public boolean isReady()
    {
        return parts.isReady();
    }

    @Override
    public void awaitReady()
    {
        parts.awaitReady();
    }

    @Override
    public void awaitOthers()
    {
        parts.awaitOthers();
    }

    @Override
    public int doWork()
    {
        requireDriven();
        return parts.doWork();
    }

    @Override
    public boolean drive(final BooleanSupplier until)
    {
        requireDriven();
        return parts.drive(until);
    }

    void requireDriven()
    {
        if (config.threads() > 0)
        {
            throw new IllegalStateException("the engine has threads of its own: set transload.threads.count = 0");
        }
    }

    /** As {@link #awaitOthers()}, and whether all ranks close. */
    boolean haveOthersMet()
    {
        return parts.awaitOthers();
    }

    /** Refuse calls to a retired engine. */
    void requireAlive()
    {
        parts.requireAlive();
    }

    /** Whether calls are refused, and none is under way any more. */
    boolean isRetired()
    {
        return parts.isRetired();
    }

    /** Whether a rank was lost, or something else went wrong. */
    boolean hasFailed()
    {
        return parts.hasFailed();
    }

    /** One duty cycle of an engine without threads, and a rest if there was nothing to do. */
    void cycle()
    {
        parts.driver().run();
    }

    /** Of an engine that is retired, close all but the memory that it gave out. */
    void retire()
    {
        parts.retire();
    }

    /** Ends the engine, on all ranks. */
    void fail(final Reason reason, final int peer, final String message)
    {
        parts.fail(reason, peer, message);
    }

    /** Have the ranks, who all know of it, agree on a view with a process that has returned; this engine ends. */
    void readmit(final int rank, final long incarnation)
    {
        parts.readmit(rank, incarnation);
    }

    /** By rank, the processes that the next view readmits. */
    Map<Integer, Long> returned()
    {
        return parts.returned();
    }

    @Override
    public void close()
    {
        parts.close();
    }
}
