/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.assembly.EngineParts;
import dev.transload.engine.assembly.KernelRegistry;
import dev.transload.engine.assembly.PayloadRule;
import dev.transload.engine.assembly.Resources;
import dev.transload.engine.config.SizeHint;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.route.HomeRoutes;
import dev.transload.engine.route.RouteHandle;
import dev.transload.engine.route.RouteTable;
import dev.transload.engine.run.Call;
import dev.transload.engine.run.CallChecks;
import dev.transload.engine.run.CombineCall;
import dev.transload.engine.run.DispatchCall;
import dev.transload.engine.run.TopkMirrors;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * One rank's end of a world that dispatches token rows to experts and combines them back. Every rank makes the same
 * calls in the same order; they run in the order of submission, asynchronously, on the engine's own threads or, with
 * {@code transload.threads.count = 0}, on the caller's thread, see {@link #drive}.
 * <p>
 * Opening and closing are collective. After a failed call the engine is retired: later calls are refused with the
 * cause, and the ranks open a new world. Calls may be submitted by any thread, in an order that is the same on all
 * ranks.
 */
public final class Engine implements AutoCloseable
{
    private static final Duration MAX_TIMEOUT = Duration.ofDays(365);

    private final EngineConfig config;
    private final EngineParts parts;

    private Engine(final EngineConfig config, final EngineParts parts)
    {
        this.config = config;
        this.parts = parts;
    }

    /**
     * Open with the row kernels found on the class path.
     *
     * @param config     settings.
     * @param rendezvous of a world of {@code nodes · ranksPerNode} ranks; stays the caller's to close.
     * @param transports found.
     * @return engine, connected to its peers if it has threads of its own.
     * @throws ConfigurationException if settings are wrong, or differ between ranks.
     * @throws dev.transload.spi.TransportUnavailableException if a transport or memory is not to be had.
     * @throws dev.transload.rendezvous.RendezvousException if ranks do not answer.
     * @throws CallFailedException if a peer fails meanwhile, or the deadline passes.
     */
    public static Engine open(
        final EngineConfig config, final Rendezvous rendezvous, final TransportRegistry transports)
    {
        return open(config, rendezvous, transports, KernelRegistry.discover());
    }

    /**
     * Open with given row kernels.
     *
     * @param settings   settings.
     * @param rendezvous of a world of {@code nodes · ranksPerNode} ranks; stays the caller's to close.
     * @param transports found.
     * @param kernels    found.
     * @return engine, connected to its peers if it has threads of its own.
     */
    public static Engine open(
        final EngineConfig settings, final Rendezvous rendezvous, final TransportRegistry transports,
        final KernelRegistry kernels)
    {
        final EngineConfig resolved = settings.resolve(transports);
        if (rendezvous.worldSize() != resolved.worldSize())
        {
            throw new ConfigurationException("the world has " + rendezvous.worldSize() +
                " ranks, transload.nodes x transload.ranks-per-node = " + resolved.nodes() + " x " +
                resolved.ranksPerNode() + ": must be equal");
        }

        final HostShare host = HostShare.learn(rendezvous, resolved.openTimeout());
        final EngineConfig config = PayloadRule.settle(resolved, kernels, rendezvous).settle(host);
        final Resources resources = new Resources();
        try
        {
            final EngineParts parts = new EngineParts(config, host, rendezvous, transports, kernels, resources);
            parts.open();
            return new Engine(config, parts);
        }
        catch (final RuntimeException | Error ex)
        {
            resources.close();
            throw ex;
        }
    }

    /**
     * Memory that all rings of a rank will take with given settings, signals and meta messages aside.
     *
     * @param config settings; those of an open engine where rows live on a device, whose sizes fit that.
     * @return bytes which peers write to; on one host shared memory, or the device's.
     */
    public static long ringBytes(final EngineConfig config)
    {
        return SizeHint.ringBytes(config);
    }

    /**
     * Place of this rank.
     *
     * @return world.
     */
    public World world()
    {
        return parts.world();
    }

    /**
     * Settings.
     *
     * @return config.
     */
    public EngineConfig config()
    {
        return config;
    }

    /**
     * What the transports can do.
     *
     * @return of the scale-out stage (the scale-up one's in a world of one node), of the scale-up stage.
     */
    public List<Capabilities> transports()
    {
        return parts.transports();
    }

    /**
     * Allocate host memory for tensors.
     *
     * @param bytes positive.
     * @return zeroed memory; close it when no call uses it, else the engine does at its own end.
     */
    public TensorMemory allocateHost(final long bytes)
    {
        return parts.allocate(MemoryKind.HOST, 0, bytes);
    }

    /**
     * Allocate memory of the payload's kind for tensors.
     *
     * @param bytes positive.
     * @return zeroed memory; close it when no call uses it, else the engine does at its own end.
     */
    public TensorMemory allocatePayload(final long bytes)
    {
        return parts.allocate(config.payloadKind(), config.device(), bytes);
    }

    /**
     * Register memory that the caller owns and keeps until it closes the registration.
     *
     * @param kind    of memory.
     * @param device  ordinal, 0 for host memory.
     * @param address of the first byte.
     * @param bytes   positive.
     * @return registration.
     */
    public TensorMemory register(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        return parts.register(kind, device, address, bytes);
    }

    /**
     * Where tokens would go.
     *
     * @param topkIdx [T, K] I64 host: experts in [0, experts), −1 = no selection.
     * @param experts E; padded up to a multiple of the ranks.
     * @return counts and membership.
     * @throws BadInputException naming token, value and what is allowed.
     */
    public DispatchLayout layout(final Tensor topkIdx, final int experts)
    {
        CallChecks.layout(config, topkIdx, experts);
        final HomeRoutes routes = new HomeRoutes(parts.geometry());
        routes.compute(topkIdx.view(), topkIdx.rows(), topkIdx.columns(), experts, parts.crew());
        return Layouts.of(routes, parts.geometry());
    }

    /**
     * Send this rank's token rows to their experts. Inputs are checked and routed before this returns; the rows must
     * stay as they are until completion. Top-k that lies on the payload's device is looked at and routed when the call
     * starts: what is wrong with its values fails the call, with {@link CallFailedException.Reason#BAD_INPUT}.
     *
     * @param request rows, routing, output.
     * @return completion with the rows that came to this rank's experts.
     * @throws BadInputException   naming what, where and what is allowed; nothing was sent.
     * @throws CallFailedException if the engine is retired.
     */
    public Completion<DispatchResult> dispatch(final DispatchRequest request)
    {
        parts.requireAlive();
        final long timeoutNs = timeoutNs(request.timeout());
        CallChecks.dispatch(config, request);
        final boolean isCached = null != request.handle();
        final RouteHandle handle = isCached ? CallChecks.handle(parts, request.handle()) : openRoutes(request);
        return submit(handle.routes(), (mirrors) ->
        {
            if (isCached)
            {
                CallChecks.cached(config, request, handle.routes());
            }
            else
            {
                mirrors.route(request.topkIdx(), (idx) -> handle.routes().home().compute(
                    idx.view(), idx.rows(), idx.columns(), request.experts(), parts.crew()));
            }

            final DispatchCall call = new DispatchCall(
                isCached ? DispatchCall.Kind.CACHED_DISPATCH : DispatchCall.Kind.DISPATCH, parts.geometry(), handle,
                isCached ? handle.routes().home().experts() : parts.geometry().paddedExperts(request.experts()),
                request.x(), request.xScales(), mirrors.weights(request.topkWeights()), request.output(),
                null == request.allocator() ? parts::allocateOutput : request.allocator(), timeoutNs, parts.driver());
            call.chain(request.waitFor(), request.record(), mirrors);
            return call;
        });
    }

    private RouteHandle openRoutes(final DispatchRequest request)
    {
        final RouteTable routes = parts.routes();
        routes.open(
            null == request.layout() ? config.output() : request.layout(),
            0 == request.expertAlignment() ? config.expertAlignment() : request.expertAlignment());
        routes.retain();
        return new RouteHandle(routes);
    }

    /** The routes are retained for the call already; a call that is not taken gives them back. */
    private <T extends Call> T submit(final RouteTable routes, final Function<TopkMirrors, T> calls)
    {
        final TopkMirrors mirrors = parts.mirrors();
        boolean isSubmitted = false;
        try
        {
            final T call = calls.apply(mirrors);
            parts.submit(call);
            isSubmitted = true;
            return call;
        }
        finally
        {
            if (!isSubmitted)
            {
                mirrors.release();
                routes.release();
            }
        }
    }

    /**
     * Bring expert rows home.
     *
     * @param request rows, handle, biases, output.
     * @return completion with this rank's combined tokens.
     * @throws BadInputException   naming what, where and what is allowed; nothing was sent.
     * @throws CallFailedException if the engine is retired.
     */
    public Completion<CombineResult> combine(final CombineRequest request)
    {
        parts.requireAlive();
        final long timeoutNs = timeoutNs(request.timeout());
        final RouteTable routes = CallChecks.handle(parts, request.handle()).routes();
        return submit(routes, (mirrors) -> combineCall(request, routes, timeoutNs, mirrors));
    }

    private CombineCall combineCall(
        final CombineRequest request, final RouteTable routes, final long timeoutNs, final TopkMirrors mirrors)
    {
        CallChecks.combine(config, request, routes);
        final boolean isWeighted = null != request.topkWeights();
        final Tensor output = null != request.output() ? request.output() :
            parts.allocateRows(routes.tokens(), request.x().columns());
        final Tensor outputWeights = !isWeighted || null != request.outputWeights() ? request.outputWeights() :
            parts.allocateWeights(routes.tokens(), routes.home().topk());
        final CombineCall call = new CombineCall(
            routes, request.x(), mirrors.weights(request.topkWeights()), request.bias0(), request.bias1(), output,
            outputWeights, mirrors.outputWeights(outputWeights),
            parts.isReadInPlace(), timeoutNs, parts.driver());
        call.chain(request.waitFor(), request.record(), mirrors);
        return call;
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

    /**
     * Figures of this rank.
     *
     * @return cumulative statistics.
     */
    public EngineStatistics statistics()
    {
        return parts.statistics();
    }

    /**
     * Figures of this rank to be watched while it runs.
     *
     * @return view of counters, valid beyond the engine's end.
     */
    public EngineCounters counters()
    {
        return parts.counters();
    }

    /**
     * Whether all peers are connected.
     *
     * @return true once calls can move rows.
     */
    public boolean isReady()
    {
        return parts.isReady();
    }

    /**
     * Wait until all peers are connected, as opening an engine with threads of its own does; drives one without.
     *
     * @throws CallFailedException if a peer fails meanwhile, or {@code transload.timeouts.open} passes.
     */
    public void awaitReady()
    {
        parts.awaitReady();
    }

    /**
     * Wait until every rank closes, {@code transload.timeouts.call} or 10 s at most; {@link #close()} does so by
     * itself where the engine has threads of its own. For one without, by another thread than that which drives it.
     */
    public void awaitOthers()
    {
        parts.awaitOthers();
    }

    /**
     * One duty cycle of an engine without threads of its own; always the same thread must call it.
     *
     * @return work done; 0 means the caller may idle.
     * @throws IllegalStateException if the engine has threads.
     */
    public int doWork()
    {
        requireDriven();
        return parts.doWork();
    }

    /**
     * Drive an engine without threads of its own while its caller waits for something other than a call; always the
     * same thread must call it. Rests as {@code transload.threads.idle} says whenever there is nothing to do.
     *
     * @param until asked before each duty cycle.
     * @return whether it holds; false once the engine is retired and has nothing left to do.
     * @throws IllegalStateException if the engine has threads.
     */
    public boolean drive(final BooleanSupplier until)
    {
        requireDriven();
        return parts.drive(until);
    }

    private void requireDriven()
    {
        if (config.threads() > 0)
        {
            throw new IllegalStateException("the engine has threads of its own: set transload.threads.count = 0");
        }
    }

    /**
     * Close, collectively: waits until every rank closes (not after a failure, nor without threads of its own), so
     * that none finds its peers gone. Calls under way fail. Idempotent.
     */
    @Override
    public void close()
    {
        parts.close();
    }
}
