/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.BadInputException;
import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.IdleMode;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.TransportContext;
import dev.transload.engine.World;
import dev.transload.engine.internal.config.PayloadRule;
import dev.transload.engine.internal.config.TransportRule;
import dev.transload.engine.internal.connect.AgreedSettings;
import dev.transload.engine.internal.connect.Bootstrap;
import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.connect.Resources;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.connect.SharedTransports;
import dev.transload.engine.internal.connect.TensorAllocator;
import dev.transload.engine.internal.connect.Transports;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.steps.ListedSession;
import dev.transload.engine.internal.steps.ListedSteps;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.StepMemory;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSends;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepWords;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of one low-latency engine, from opening to closing. */
final class LowLatencyParts
{
    private static final Logger LOGGER = LoggerFactory.getLogger(LowLatencyParts.class);
    private static final int STAGES = Stage.values().length;
    private static final long SPINS = 50;
    private static final long ROUNDS_BEFORE_REST = 100_000;
    private static final long MIN_PARK_NS = 1_000;
    private static final long MAX_PARK_NS = 200_000;
    private static final Duration MAX_SETTLE = Duration.ofSeconds(2);

    private final LowLatencyConfig config;
    private final EngineScope scope;
    private final World world;
    private final Shape shape;
    private final Resources resources;
    private final Transports stages;
    private final Routes routes;
    private final TensorAllocator tensors;
    private final LowLatencyMemory memory;
    private final CallCounters figures;
    private final StepChoice choice;
    /** Null where threads do the steps. */
    private final SharedTensors shared;
    private final Exchange[] exchanges = new Exchange[Shape.LANES];
    private final PeerLink[] links;
    /** By rank, once the lanes are open. */
    private final boolean[] near;
    private final RankMask mask;
    private final Worker[] workers = new Worker[STAGES];
    private final Worker[] distinctWorkers;
    /** Null where no rank is far, or the calling thread does the steps. */
    private final FarPump pump;
    private final RowKernels kernels;
    private final AtomicReference<TransportException> trouble = new AtomicReference<>();
    /** By lane and rank: memory that this rank writes, and own memory that the rank writes. */
    private final List<List<StepPeer>> peers = List.of(new ArrayList<>(), new ArrayList<>());
    private final List<List<StepPeer>> own = List.of(new ArrayList<>(), new ArrayList<>());
    private boolean isOpen;
    private boolean isMet;

    private LowLatencyParts(
        final LowLatencyConfig config, final EngineScope scope, final KernelRegistry registry,
        final Resources resources)
    {
        this.config = config;
        this.scope = scope;
        this.resources = resources;
        final EngineConfig common = config.common();
        this.world = new World(common.world(), scope.world().rank());
        this.links = new PeerLink[world.size()];
        this.near = new boolean[world.size()];
        this.mask = new RankMask(world.rank(), links);
        this.stages = resources.add(new Transports(common, scope, 1, this::onTrouble));
        final Bootstrap directory = new Bootstrap(scope, stages, common.openTimeout());
        this.routes = new Routes(world, stages, common.payload(), config.near());
        routes.exchange(scope, directory.agree(agreed(config)), common.openTimeout());
        this.tensors = resources.add(new TensorAllocator(common, scope, stages, false));
        tensors.openCopies();
        this.distinctWorkers = openWorkers();
        this.kernels = resources.add(registry.openForLatency(common));
        final Shape own = Shape.of(config, world.rank());
        this.choice = StepChoice.agree(config, scope, own, routes, stages, kernels.steps());
        this.shape = choice.isByDevice() ? own.withBlocks(choice.blocks(), config.timeout()) : own;
        routes.settle(choice.isByDevice());
        final int[] writers = new int[STAGES];
        for (final Stage stage : Stage.values())
        {
            writers[stage.ordinal()] = routes.writers(stage, world.rank());
        }

        this.figures = new CallCounters(shape, mask.reasons());
        final StepMemory ofDevice = choice.isByDevice() ? kernels.steps().memory(shape.steps()) : null;
        this.memory = new LowLatencyMemory(config, shape, scope, stages, writers, ofDevice);
        directory.exchange(List.of((stage) -> workers[stage.ordinal()]), memory.written());
        this.shared = choice.isByDevice() ? new SharedTensors(common, scope, tensors, ofDevice.controlKind(),
            workers[Stage.SCALE_UP.ordinal()], (rank) -> rank != world.rank() &&
            Stage.SCALE_OUT == routes.stage(world.rank(), rank)) : null;
        LOGGER.info("rank {}: steps of low-latency calls by {}", world.rank(), choice.describe());
        makeLinks(directory);
        this.pump = choice.isByDevice() && writers[Stage.SCALE_OUT.ordinal()] > 0 ? resources.add(makePump()) : null;
        scope.listen(mask);
    }

    /** Takes the connections to far ranks, and their worker. */
    private FarPump makePump()
    {
        final PeerLink[] far = new PeerLink[links.length];
        for (final PeerLink link : links)
        {
            if (null != link && Stage.SCALE_OUT == link.stage())
            {
                link.giveAway();
                far[link.rank()] = link;
            }
        }

        return new FarPump(world.rank(), workers[Stage.SCALE_OUT.ordinal()], far, mask, config.timeout().toNanos(),
            config.common().openTimeout().toNanos(), idle(config.common().threading().idle()));
    }

    static LowLatencyParts open(
        final LowLatencyConfig settings, final TransportContext context, final KernelRegistry kernels)
    {
        final Resources resources = new Resources();
        final EngineScope scope = resources.add(SharedTransports.join(context));
        try
        {
            final EngineConfig resolved =
                TransportRule.settle(settings.common(), scope.transports(), scope.world().rank());
            if (!resolved.world().absent().isEmpty())
            {
                throw new ConfigurationException("absent ranks " + resolved.world().absent() +
                    " are not allowed in low-latency mode, which masks lost ranks by itself: must be none");
            }

            Bootstrap.meet(scope, "low-latency", resolved);
            final LowLatencyConfig config = settings.with(PayloadRule.settle(resolved, kernels, scope.world()));
            return new LowLatencyParts(config, scope, kernels, resources);
        }
        catch (final RuntimeException | Error ex)
        {
            resources.close();
            throw ex;
        }
    }

    /** What the calling thread does while it finds nothing to do. */
    static IdleStrategy idle(final IdleMode mode)
    {
        return switch (mode)
        {
            case SPIN -> new BackoffIdleStrategy(ROUNDS_BEFORE_REST, 0, MIN_PARK_NS, MAX_PARK_NS);
            case YIELD -> new BackoffIdleStrategy(0, ROUNDS_BEFORE_REST, MIN_PARK_NS, MAX_PARK_NS);
            default -> new BackoffIdleStrategy(SPINS, ROUNDS_BEFORE_REST, MIN_PARK_NS, MAX_PARK_NS);
        };
    }

    private static List<String> agreed(final LowLatencyConfig config)
    {
        final List<String> lines = AgreedSettings.common(config.common());
        lines.add("payload.kind = " + config.common().payloadKind());
        lines.add("low-latency.max-tokens = " + config.maxTokens());
        lines.add("low-latency.channels = " + config.channels());
        lines.add("low-latency.near = " + config.near().name().toLowerCase(Locale.ROOT));
        return lines;
    }

    private void onTrouble(final TransportException error)
    {
        if (error instanceof PeerFailedException)
        {
            mask.giveUp(((PeerFailedException)error).peer(), error.getMessage());
        }
        else
        {
            trouble.compareAndSet(null, error);
        }
    }

    private Worker[] openWorkers()
    {
        final Worker up = resources.add(stages.openWorker(stages.of(Stage.SCALE_UP), 0));
        final Transport out = stages.of(Stage.SCALE_OUT);
        workers[Stage.SCALE_UP.ordinal()] = up;
        if (null == out || stages.isShared())
        {
            workers[Stage.SCALE_OUT.ordinal()] = up;
            return new Worker[]{up};
        }

        workers[Stage.SCALE_OUT.ordinal()] = resources.add(stages.openWorker(out, 0));
        return new Worker[]{up, workers[Stage.SCALE_OUT.ordinal()]};
    }

    private void makeLinks(final Bootstrap directory)
    {
        final ThreadCounters counters = new ThreadCounters(links.length);
        for (int rank = 0; rank < links.length; rank++)
        {
            links[rank] = rank == world.rank() ? null :
                new PeerLink(rank, world.rank(), config.channels(), routes, directory, memory, counters);
        }

        for (int lane = 0; lane < Shape.LANES; lane++)
        {
            final EngineConfig common = config.common();
            exchanges[lane] = choice.isByDevice() ? new DeviceExchange(lane, shape, mask, figures, tensors.allocate(
                common.payloadKind(), common.device(), DeviceExchange.leftOutBytes(shape))) :
                new ListedExchange(lane, shape, mask, figures, common.payloadKind(), common.device(),
                tensors.allocate(MemoryKind.HOST, 0, shape.selections()));
        }
    }

    /** On the thread that drives: connects first. */
    boolean isReady(final NanoClock clock)
    {
        if (!isOpen)
        {
            isOpen = true;
            for (final PeerLink link : links)
            {
                if (null != link && !link.isElsewhere())
                {
                    link.open(workers[link.stage().ordinal()], routes.mayBeNear(link.rank()));
                }
            }

            if (null != pump)
            {
                pump.start();
            }
        }

        if (null != pump)
        {
            pump.requireSound();
        }

        progress();
        if (!isMet && unconnected() < 0)
        {
            openLanes(clock);
            isMet = true;
        }

        return isMet;
    }

    /** How ranks reach each other is known. */
    private void openLanes(final NanoClock clock)
    {
        final List<PeerLink> far = new ArrayList<>();
        for (final PeerLink link : links)
        {
            if (null != link)
            {
                near[link.rank()] = link.isNear();
                if (!link.isNear())
                {
                    far.add(link);
                }
            }
        }

        for (int lane = 0; lane < Shape.LANES; lane++)
        {
            if (choice.isByDevice())
            {
                openDeviceLane(lane, far);
            }
            else
            {
                openLane(lane, far, clock);
            }
        }
    }

    private void openDeviceLane(final int lane, final List<PeerLink> far)
    {
        for (final PeerLink link : links)
        {
            peers.get(lane).add(null == link ? memory.own(Stage.SCALE_UP, lane) :
                link.isElsewhere() ? farPeer(lane, far.indexOf(link)) : nearPeer(lane, link));
        }

        final SendMemory sends = far.isEmpty() ? null : sendMemory(far.size(), MemoryKind.HOST, 0);
        final StepSession session = resources.add(kernels.steps().open(
            shape.steps(), peers.get(lane), null == sends ? null : sends.blocks()));
        mask.add(session);
        shared.add(session);
        ((DeviceExchange)exchanges[lane]).open(session, shared, pump);
        if (null != pump)
        {
            pump.add(lane, farPosts(lane, far, session, sends, pump));
            // Ends before memory of the session is freed.
            resources.add(pump);
        }
    }

    private StepPeer nearPeer(final int lane, final PeerLink link)
    {
        if (!link.isNear())
        {
            throw new TransportUnavailableException("memory of rank " + link.rank() + " has no window on rank " +
                world.rank() + ", which device steps need; transload.low-latency.near = never has the calling thread " +
                "do the steps, or rows go by the scale-out transport", null);
        }

        return link.windows(lane);
    }

    /** Memory that it writes to. */
    private StepPeer farPeer(final int lane, final int farIndex)
    {
        final StepPeer written = memory.own(Stage.SCALE_OUT, lane);
        return new StepPeer(written.words(), written.slots(), farIndex);
    }

    /** Send blocks. */
    private record SendMemory(TensorMemory control, TensorMemory rows)
    {
        StepSendBlocks blocks()
        {
            return new StepSendBlocks(control.scaleUpRegion(), rows.scaleUpRegion());
        }
    }

    private SendMemory sendMemory(final int farRanks, final MemoryKind kind, final int device)
    {
        final StepSends sends = new StepSends(shape.steps(), farRanks);
        return new SendMemory(tensors.allocate(MemoryKind.HOST, 0, sends.controlBytes()),
            tensors.allocate(kind, device, sends.rowsBytes()));
    }

    private FarPosts farPosts(
        final int lane, final List<PeerLink> far, final StepSession session, final SendMemory sends,
        final FarVerdict verdict)
    {
        return new FarPosts(lane, shape.steps(), far.toArray(new PeerLink[0]), session.fifo(), sends.control(),
            sends.rows(), verdict);
    }

    private void openLane(final int lane, final List<PeerLink> far, final NanoClock clock)
    {
        final EngineConfig common = config.common();
        for (final PeerLink link : links)
        {
            final Stage in = null == link ? Stage.SCALE_UP : link.inStage();
            own.get(lane).add(memory.own(in, lane));
            peers.get(lane).add(null == link ? memory.own(in, lane) : link.isNear() ? link.windows(lane) :
                new StepPeer(null, null, far.indexOf(link)));
        }

        final SendMemory sends =
            far.isEmpty() ? null : sendMemory(far.size(), common.payloadKind(), common.device());
        final ListedSteps steps = new ListedSteps(kernels,
            (bytes) -> tensors.allocate(common.payloadKind(), common.device(), bytes).scaleUpRegion(),
            (region) -> acquire(lane, region), clock);
        final ListedExchange exchange = (ListedExchange)exchanges[lane];
        final ListedSession session = steps.open(shape.steps(), peers.get(lane), own.get(lane), null == sends ? null :
            sends.blocks(), exchange);
        mask.add(session);
        exchange.open(session, null == sends ? null : farPosts(lane, far, session, sends, mask));
    }

    private void acquire(final int lane, final MemoryRegion region)
    {
        final Section ofOut = memory.slots(Stage.SCALE_OUT, lane);
        final boolean isOfOut = region == ofOut.arena().region(Stage.SCALE_OUT);
        workers[(isOfOut ? Stage.SCALE_OUT : Stage.SCALE_UP).ordinal()].acquire(region);
    }

    /** A rank that is not connected yet, −1 for none. */
    int unconnected()
    {
        for (final PeerLink link : links)
        {
            if (null != link && !isConnected(link))
            {
                return link.rank();
            }
        }

        return -1;
    }

    private static boolean isConnected(final PeerLink link)
    {
        return link.isElsewhere() ? link.isMet() : link.meet();
    }

    int progress()
    {
        int work = kernels.progress();
        for (final Worker worker : distinctWorkers)
        {
            work += null != pump && worker == workers[Stage.SCALE_OUT.ordinal()] ? 0 : worker.progress();
        }

        return work;
    }

    void clear(final int rank, final int generation)
    {
        final int current = links[rank].generation();
        if (generation <= current || generation >= StepWords.MAX_GENERATION)
        {
            throw new BadInputException("generation = " + generation + " is not allowed for rank " + rank +
                ": must be above the one in use, " + current + ", and below " + StepWords.MAX_GENERATION +
                ", as many as a world has for a pair of ranks");
        }

        final String lastWord = mask.lastWord(rank);
        if (null != lastWord)
        {
            throw new IllegalStateException("rank " + rank + " cannot be cleared, since a transport has given it up " +
                "and takes no rank back in the same world: " + lastWord);
        }

        if (links[rank].isElsewhere())
        {
            pump.reconnect(rank, generation);
        }

        mask.clear(rank, generation);
        for (int lane = 0; lane < Shape.LANES; lane++)
        {
            // Generations of words begin with 1.
            exchanges[lane].activate(rank, peers.get(lane).get(rank), generation + 1);
        }
    }

    /** Null for the own rank. */
    PeerLink link(final int rank)
    {
        return links[rank];
    }

    void requireSound()
    {
        if (null != pump)
        {
            pump.requireSound();
        }

        final TransportException error = trouble.get();
        if (null != error)
        {
            throw new CallFailedException(Reason.INTERNAL, world.rank(), error.getMessage(), error);
        }
    }

    /** Have what was sent arrive, for a while; ranks that do not take it are left alone. */
    void settle(final NanoClock clock, final IdleStrategy idle)
    {
        final long deadlineNs = clock.nanoTime() + Math.min(MAX_SETTLE.toNanos(), config.timeout().toNanos());
        final long[] flushes = new long[links.length * config.channels()];
        boolean isSettled = !isOpen;
        while (!isSettled && clock.nanoTime() - deadlineNs < 0)
        {
            isSettled = true;
            for (int i = 0; i < flushes.length; i++)
            {
                final PeerLink link = links[i / config.channels()];
                if (null != link && !link.isElsewhere() && mask.isActive(link.rank()) && !mask.isGone(link.rank()))
                {
                    isSettled &= link.flush(i % config.channels(), flushes, i);
                }
            }

            if (!isSettled)
            {
                idle.idle(progress());
            }
        }

        if (isMet && null != pump)
        {
            settleFar(deadlineNs, clock, idle);
        }
    }

    /** What steps have still to post is brought, too. */
    private void settleFar(final long deadlineNs, final NanoClock clock, final IdleStrategy idle)
    {
        for (final Exchange exchange : exchanges)
        {
            while (exchange.session().completedPosition() < exchange.session().position() &&
                clock.nanoTime() - deadlineNs < 0)
            {
                idle.idle(progress());
            }
        }

        pump.settle(deadlineNs);
    }

    void close()
    {
        resources.close();
    }

    LowLatencyConfig config()
    {
        return config;
    }

    World world()
    {
        return world;
    }

    int number()
    {
        return scope.number();
    }

    Shape shape()
    {
        return shape;
    }

    Transports stages()
    {
        return stages;
    }

    LowLatencyMemory memory()
    {
        return memory;
    }

    TensorAllocator tensors()
    {
        return tensors;
    }

    StepChoice choice()
    {
        return choice;
    }

    /** Null where threads do the steps. */
    SharedTensors shared()
    {
        return shared;
    }

    Exchange exchange(final int set)
    {
        return exchanges[set];
    }

    RankMask mask()
    {
        return mask;
    }

    CallCounters figures()
    {
        return figures;
    }

    boolean isNear(final int rank)
    {
        return near[rank];
    }

    String transportTo(final int rank)
    {
        return stages.of(routes.stage(world.rank(), rank)).capabilities().transport();
    }
}
