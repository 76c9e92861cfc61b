/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.DispatchHandle;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.EngineCounters;
import dev.transload.engine.EngineStatistics;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.OnPeerFailure;
import dev.transload.engine.OutputShape;
import dev.transload.engine.Placement;
import dev.transload.engine.StagingMode;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.World;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.internal.connect.AgreedSettings;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Bootstrap;
import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.connect.Memory;
import dev.transload.engine.internal.connect.Resources;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.connect.TensorAllocator;
import dev.transload.engine.internal.connect.Transports;
import dev.transload.engine.internal.normal.Board;
import dev.transload.engine.internal.normal.Call;
import dev.transload.engine.internal.normal.CallChecks;
import dev.transload.engine.internal.normal.TopkMirrors;
import dev.transload.engine.internal.plan.Plan;
import dev.transload.engine.internal.plan.PlanHandle;
import dev.transload.engine.internal.plan.PlanPool;
import dev.transload.engine.internal.plan.PlanWorkers;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.spi.Capabilities;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.Reachability;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportUnavailableException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of one engine, from opening to closing. */
public final class EngineParts implements CallChecks.HandleOwner
{
    private static final Logger LOGGER = LoggerFactory.getLogger(EngineParts.class);
    private static final Duration MAX_CLOSE_WAIT = Duration.ofSeconds(10);
    private static final long POLL_NS = 200_000L;
    private static final long RETIRE_TIMEOUT_NS = 5_000_000_000L;

    private final EngineConfig config;
    private final World world;
    private final Geometry geometry;
    private final EngineScope scope;
    private final Resources resources;
    private final Resources kept;
    private final Board board;
    private final Transports stages;
    private final ArenaMap map;
    private final Memory memory;
    private final Bootstrap directory;
    private final KernelRegistry kernels;
    private final Threads threads;
    private final Wiring wiring;
    private final Announcements announcements;
    private final PlanPool pool;
    private final MirrorPool mirrors;
    private final TensorAllocator tensors;
    private final CallStatistics book;
    private Conductor conductor;
    private final AtomicBoolean hasWaited = new AtomicBoolean();
    private boolean isClosed;
    private boolean isShuttingDown;

    /**
     * Make the parts and open the transports.
     *
     * @param board         of failures, which are told to it already.
     * @param announcements of this engine, which listen already.
     * @param resources     closes what was opened, in reverse; the caller's to close if this fails.
     * @param kept          closes what callers may use once the engine is retired, after the rest.
     */
    EngineParts(
        final EngineConfig config, final HostShare host, final EngineScope scope, final KernelRegistry kernels,
        final Board board, final Announcements announcements, final Resources resources, final Resources kept)
    {
        this.config = config;
        this.scope = scope;
        this.kernels = kernels;
        this.resources = resources;
        this.kept = kept;
        this.world = new World(config.world(), scope.world().rank());
        this.geometry = new Geometry(world, config);
        this.board = board;
        this.stages = resources.add(new Transports(config, scope, Math.max(1, config.threads()), this::fail));
        stages.requireAllowedStaging();
        this.map = new ArenaMap(geometry, stages.isStaged());
        this.memory = new Memory(scope, stages, map.arenas());
        this.directory = new Bootstrap(scope, stages, config.openTimeout());
        this.threads = new Threads(config, host, board, scope.number());
        this.wiring = new Wiring(geometry, map, memory, new CreditWiring(geometry, map, memory), threads);
        this.announcements = announcements;
        this.pool = new PlanPool(geometry);
        this.tensors =
            kept.add(new TensorAllocator(config, scope, stages, Placement.DIRECT == config.placement()));
        this.mirrors = new MirrorPool(tensors);
        this.book = new CallStatistics(geometry);
    }

    /** A transport that other engines of the context use too still reports processes that take no part here. */
    private void fail(final TransportException error)
    {
        if (!(error instanceof PeerFailedException) || scope.isMeant((PeerFailedException)error))
        {
            board.fail(error);
        }
    }

    /** Agree with the others, take memory, exchange it, start. */
    public void open()
    {
        requireReachable(directory.agree(AgreedSettings.normal(config, stages.isStaged())));
        if (0 == world.rank() && config.channels() < config.world().advisedChannels())
        {
            LOGGER.info("{}: with transload.channels = {} some adapters of larger nodes stay idle, {} or more use all",
                config.world(), config.channels(), config.world().advisedChannels());
        }

        if (stages.isStaged())
        {
            LOGGER.info("rows in {} memory are staged through host memory between nodes: {}", config.payloadKind(),
                StagingMode.ALWAYS == config.payload().staging() ? "transload.payload.staging = always" : "transport " +
                config.scaleOut().transport() + " moves " + stages.of(Stage.SCALE_OUT).capabilities().kinds());
        }

        memory.allocate(config.device(), SignalMap.outCount(geometry), SignalMap.upCount(geometry));
        tensors.openCopies();
        resources.add(threads::abandon);
        threads.make(stages, directory, kernels, geometry);
        wiring.wire();
        conductor = MetaWiring.wire(board, geometry, map, threads.all(), memory.signals(Stage.SCALE_OUT),
            memory.signals(Stage.SCALE_UP), tensors::oldestOpen, announcements, book,
            OnPeerFailure.MASK == config.onPeerFailure());
        directory.exchange(threads.workers(), memory);
        threads.start();
        if (config.threads() > 0)
        {
            resources.add(this::shutDown);
            awaitReady();
        }
    }

    private void requireReachable(final Map<Integer, List<ByteBuffer>> peerInfos)
    {
        for (final Stage stage : Stage.values())
        {
            final Transport transport = stages.of(stage);
            for (int rank = 0; rank < world.size() && null != transport; rank++)
            {
                final boolean isOnPath = Stage.SCALE_OUT == stage ?
                    geometry.relays().isPeer(rank) :
                    world.isPresent(rank) && world.nodeOf(rank) == world.node();
                final Reachability reachability = !isOnPath ? null :
                    transport.canReach(rank, peerInfos.get(rank).get(stage.ordinal()));
                if (isOnPath && !reachability.reachable())
                {
                    throw new TransportUnavailableException("rank " + world.rank() + " cannot reach rank " + rank +
                        " over transport " + transport.capabilities().transport() + " (" +
                        stage.name().toLowerCase(Locale.ROOT).replace('_', '-') + "): " + reachability.reason(), null);
                }
            }
        }
    }

    /** Wait until all peers are connected; drives an engine without threads. */
    public void awaitReady()
    {
        try
        {
            threads.awaitReady(world.rank());
        }
        catch (final CallFailedException ex)
        {
            throw Reason.PEER_FAILED == ex.reason() ? announcements.agreed(ex) : ex;
        }
    }

    /**
     * Whether all peers are connected.
     *
     * @return true once calls can move rows.
     */
    public boolean isReady()
    {
        return threads.isReady();
    }

    /** Refuse calls to a retired engine. */
    public void requireAlive()
    {
        conductor.requireAlive();
    }

    /** Submit a call, whose plan is given back if it is refused. */
    public void submit(final Call call)
    {
        call.watchFor(threads.callerSpinNs());
        conductor.submit(call);
        threads.wake();
    }

    /** One duty cycle of the only share. */
    public int doWork()
    {
        return threads.all().get(0).doWork();
    }

    /**
     * What callers that wait do.
     *
     * @return duty cycle and a rest if there was nothing to do; null where the engine has threads.
     */
    public Runnable driver()
    {
        return threads.driver();
    }

    /**
     * Drive an engine without threads.
     *
     * @param until asked before each duty cycle.
     * @return whether it holds; false once the engine is retired and has nothing left to do.
     */
    public boolean drive(final BooleanSupplier until)
    {
        while (!until.getAsBoolean())
        {
            if (conductor.isRetired())
            {
                return false;
            }

            threads.driver().run();
        }

        return true;
    }

    /** Place of this rank. */
    public World world()
    {
        return world;
    }

    /**
     * Which engine of its context it is.
     *
     * @return number from 0.
     */
    public int number()
    {
        return scope.number();
    }

    public Geometry geometry()
    {
        return geometry;
    }

    /** What the transports can do. */
    public List<Capabilities> transports()
    {
        return stages.capabilities();
    }

    /** Routes for a dispatch. */
    public Plan plan()
    {
        return pool.take();
    }

    public PlanWorkers planWorkers()
    {
        return threads.planWorkers();
    }

    /** For those tensors of a call's top-k that lie on the payload's device. */
    public TopkMirrors mirrors()
    {
        return mirrors.take();
    }

    /**
     * Whether ranks of the node read a combine's rows where they are.
     *
     * @return true if the scale-up transport has windows and the configuration allows it.
     */
    public boolean isReadInPlace()
    {
        return tensors.isReadInPlace();
    }

    @Override
    public boolean owns(final DispatchHandle handle)
    {
        return handle instanceof PlanHandle && ((PlanHandle)handle).plan().isOf(pool);
    }

    /**
     * Allocate memory for tensors.
     *
     * @param bytes positive.
     */
    public TensorMemory allocate(final MemoryKind kind, final int device, final long bytes)
    {
        return tensors.allocate(kind, device, bytes);
    }

    /**
     * Register the caller's memory for tensors.
     *
     * @param address of the first byte.
     * @param bytes   positive.
     */
    public TensorMemory register(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        return tensors.register(kind, device, address, bytes);
    }

    /** Register memory of the caller that peers do not reach. */
    public TensorMemory registerLocal(
        final MemoryKind kind, final int device, final long address, final long bytes)
    {
        return tensors.registerLocal(kind, device, address, bytes);
    }

    /** Allocate a dispatch's output. */
    public DispatchOutput allocateOutput(final OutputShape shape)
    {
        return tensors.output(shape);
    }

    /** Allocate combined rows. */
    public Tensor allocateRows(final int rows, final int hidden)
    {
        return tensors.rows(rows, hidden);
    }

    /** Allocate combined weights. */
    public Tensor allocateWeights(final int rows, final int topk)
    {
        return tensors.weights(rows, topk);
    }

    /** Figures of this rank. */
    public EngineStatistics statistics()
    {
        return book.read(conductor.completed(), counters());
    }

    /** Figures of this rank while it runs. */
    public EngineCounters counters()
    {
        return new LiveCounters(book, threads.all());
    }

    /** Close everything, after the other ranks are done with this one. */
    public synchronized void close()
    {
        if (isClosed)
        {
            return;
        }

        isClosed = true;
        announcements.leave();
        if (config.threads() > 0 && null == board.failure())
        {
            awaitOthers();
        }

        shutDownWithRest();
        try (kept; resources)
        {
            // Closes the latter first.
        }
    }

    /** An engine with threads does so from its opening on. */
    private void shutDownWithRest()
    {
        if (0 == config.threads() && !isShuttingDown)
        {
            isShuttingDown = true;
            resources.add(this::shutDown);
        }
    }

    /** Of a retired engine, close all but the memory that it gave out: another engine takes its place. */
    synchronized void retire()
    {
        announcements.leave();
        shutDownWithRest();
        resources.close();
        tensors.closeCopies();
        scope.retire();
    }

    /** What the caller waits for can never come: all ranks are told. */
    void fail(final Reason reason, final int peer, final String message)
    {
        board.fail(reason, peer, message, null);
    }

    /** Whether calls are refused, and none is under way any more. */
    boolean isRetired()
    {
        return conductor.isRetired();
    }

    /** Whether the engine is, or will be, retired. */
    boolean hasFailed()
    {
        return null != board.failure();
    }

    /** See {@link Announcements#readmit}. */
    void readmit(final int rank, final long incarnation)
    {
        announcements.readmit(rank, incarnation);
    }

    /** By rank, the processes that the next view readmits. */
    Map<Integer, Long> returned()
    {
        return announcements.returned();
    }

    /**
     * Wait until every rank closes, but not long. Only the first call waits.
     *
     * @return whether every rank does.
     */
    public boolean awaitOthers()
    {
        if (hasWaited.getAndSet(true))
        {
            return true;
        }

        final Duration wait =
            config.callTimeout().compareTo(MAX_CLOSE_WAIT) < 0 ? config.callTimeout() : MAX_CLOSE_WAIT;
        try
        {
            announcements.leave();
            scope.allGather("close", ByteBuffer.allocate(0), wait);
            return true;
        }
        catch (final RendezvousException ex)
        {
            LOGGER.info("closing without the others: {}", ex.getMessage());
            return false;
        }
    }

    private void shutDown()
    {
        announcements.close();
        board.fail(Reason.RETIRED, -1, "it was closed", null);
        final long deadlineNs = System.nanoTime() + RETIRE_TIMEOUT_NS;
        while (!conductor.isRetired() && System.nanoTime() - deadlineNs < 0)
        {
            if (0 == config.threads())
            {
                threads.driver().run();
            }
            else
            {
                LockSupport.parkNanos(POLL_NS);
            }
        }

        final String stuck = threads.stop();
        conductor.stop();
        if (null != stuck)
        {
            resources.abandon();
            kept.abandon();
            throw new IllegalStateException("rank " + world.rank() + " keeps its memory and its transports until the " +
                "process ends: " + stuck);
        }
    }
}
