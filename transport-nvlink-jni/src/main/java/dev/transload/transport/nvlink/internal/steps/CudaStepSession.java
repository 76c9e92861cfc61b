/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.steps;

import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepFifo;
import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepScales;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepStatus;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.TransportException;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaException;
import dev.transload.transport.nvlink.cuda.CudaModule;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.StallWatch;

import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Launches one kernel for each submission; the device counts calls and ended steps. A dispatch with far ranks is three:
 * rows for far ranks go ahead, rows of near ranks go while those travel, and what has come from far ranks is packed. A
 * combine with far ranks is two. The last one ends the step.
 */
final class CudaStepSession implements StepSession
{
    private static final Logger LOG = LoggerFactory.getLogger(CudaStepSession.class);

    /** Submissions under way. The driver's own queue is longer, and blocks when it is full. */
    private static final int CAPACITY = 256;

    /** PTX text of the kernels, as a resource. */
    private static final String MODULE = "/dev/transload/transport/nvlink/transload_steps.ptx";

    private static final int THREADS = 1024;
    private static final int VECTOR = 16;

    /** Waits of a program at most, and its own work. */
    private static final int WAITS = 6;

    private static final Map<List<StepOp>, String> KERNELS = Map.of(
        StepProgram.DISPATCH, "tl_step_dispatch", StepProgram.SEND, "tl_step_send",
        StepProgram.RECEIVE, "tl_step_receive", StepProgram.COMBINE, "tl_step_combine");

    private static final Map<List<StepOp>, List<String>> FAR_KERNELS = Map.of(
        StepProgram.FAR_DISPATCH, List.of("tl_step_far_send", "tl_step_far_dispatch", "tl_step_far_receive"),
        StepProgram.FAR_SEND, List.of("tl_step_far_send"),
        StepProgram.RECEIVE, List.of("tl_step_far_receive"),
        StepProgram.FAR_COMBINE, List.of("tl_step_answer", "tl_step_far_combine"));

    /** Of {@code tl_step_state.cuh}: which part of a program a launch is. */
    private static final int WHOLE = 0;
    private static final int FIRST = 1;
    private static final int MIDDLE = 2;
    private static final int LAST = 3;

    private final CudaDevice device;
    private final StepShape shape;
    private final CudaSteps.HostAccess hosts;
    private final Runnable onClose;
    private final CudaModule module;
    private final CudaStream stream;
    private final StallWatch watch;
    private final long stallNs;
    private final StepTables tables;
    private final StepLaunch launch;
    private final FarSteps far;
    private final StepPeer own;
    private final boolean hasSlots;
    private final int[] generations;
    private final StepOutput[] outputs = new StepOutput[StepWords.MAX_TENSORS];
    private final MemoryRegion[] answers = new MemoryRegion[StepWords.MAX_TENSORS];
    private long position;
    private long completed;
    private boolean isClosed;

    /** The kernel of {@link StepProgram#DISPATCH} that casts rows; what is known ahead is left out of each. */
    private static final String CAST_KERNEL = "tl_step_dispatch_fp8";

    /** Kernels, and what its submissions need. */
    private record Program(List<StepOp> ops, long[] functions, long castFunction, CudaStepSession session)
        implements StepProgram
    {
        long function(final int part, final boolean isFp8)
        {
            return isFp8 && 0 != castFunction ? castFunction : functions[part];
        }

        boolean isDispatch()
        {
            return StepOp.BUCKET == ops.get(0);
        }

        boolean isCombine()
        {
            return ops.contains(StepOp.REDUCE);
        }
    }

    CudaStepSession(
        final CudaDevice device, final StepShape shape, final List<StepPeer> peers, final FarSteps far,
        final long timeoutNs, final CudaSteps.HostAccess hosts, final Runnable onClose)
    {
        this.device = device;
        this.shape = shape;
        this.hosts = hosts;
        this.onClose = onClose;
        this.module = device.module(MODULE);
        this.stallNs = Math.max(timeoutNs,
            Math.multiplyExact(shape.timeoutNs(), WAITS * (StepShape.LONGEST_WAIT + 1L)));
        this.stream = device.openStream();
        this.watch = new StallWatch(stream, stallNs);
        this.tables = new StepTables(device, shape, module.function("tl_step_mask"), stallNs);
        this.launch = new StepLaunch(shape, tables, far);
        this.far = far;
        this.own = peers.get(shape.ownRank());
        this.generations = new int[shape.ranks()];
        this.hasSlots = null != own.slots();
        for (int rank = 0; rank < shape.ranks(); rank++)
        {
            reach(rank, peers.get(rank), 1);
        }
    }

    private void reach(final int rank, final StepPeer peer, final int generation)
    {
        generations[rank] = generation;
        final MemoryRegion words = null == peer.words() ? own.words() : peer.words();
        final MemoryRegion slots = null == peer.slots() && peer.isFar() ? own.slots() : peer.slots();
        if (peer.isFar() && null == slots)
        {
            throw new IllegalArgumentException("rank " + rank + " is far, and there are no slots for its rows");
        }

        tables.peer(rank, words.address(), null == slots ? 0 : slots.address(), generation, peer.farIndex());
    }

    @Override
    public StepProgram compile(final List<StepOp> ops)
    {
        final List<String> kernels = null != far ? FAR_KERNELS.get(ops) :
            KERNELS.containsKey(ops) ? List.of(KERNELS.get(ops)) : null;
        if (null == kernels)
        {
            throw new IllegalArgumentException("program " + ops + " is not known here: must be one of those of " +
                "StepProgram " + (null == far ? "without SEND_FAR" : "with SEND_FAR, or RECEIVE"));
        }

        if (!hasSlots && isOfSlots(ops))
        {
            throw new IllegalArgumentException("program " + ops + " uses slots, and the session was opened without");
        }

        return new Program(List.copyOf(ops), kernels.stream().mapToLong(module::function).toArray(),
            StepProgram.DISPATCH.equals(ops) ? module.function(CAST_KERNEL) : 0, this);
    }

    /** Whether rows pass through slots. */
    private static boolean isOfSlots(final List<StepOp> ops)
    {
        return !ops.contains(StepOp.STARTS) && !ops.contains(StepOp.REDUCE);
    }

    @Override
    public void output(final int rank, final int number, final StepOutput output)
    {
        CudaSteps.requireCuda("rows of output " + number + " of rank " + rank, output.rows().kind(), VECTOR,
            output.rows().address());
        CudaSteps.requireCuda("info of output " + number + " of rank " + rank, output.info().kind(), Long.BYTES,
            output.info().address());
        tables.output(rank, number, output.rows().address(), output.info().address());
        if (rank == shape.ownRank())
        {
            outputs[number] = output;
        }
    }

    @Override
    public void answers(final int rank, final int number, final MemoryRegion region)
    {
        CudaSteps.requireCuda("answers " + number + " of rank " + rank, region.kind(), VECTOR, region.address());
        tables.answers(rank, number, region.address());
        if (rank == shape.ownRank())
        {
            answers[number] = region;
        }
    }

    /** {@inheritDoc} What is captured has no position of its own: it runs whenever its graph does. */
    @Override
    public long submit(final DeviceQueue queue, final StepProgram program, final StepArguments arguments)
    {
        if (!(program instanceof final Program own) || own.session() != this)
        {
            throw new IllegalArgumentException("program " + program.ops() + " was not compiled by this session");
        }

        if (isClosed)
        {
            throw new IllegalStateException("steps are closed: must be open");
        }

        check(own, arguments);
        final long handle = handleOf(queue);
        final boolean isCaptured = 0 != queue.handle() && device.isCapturing(handle);
        if (!isCaptured && position - completedPosition() >= CAPACITY || !device.tryLaunch())
        {
            return BACK_PRESSURED;
        }

        try
        {
            final long next = position + 1;
            final int parts = own.functions().length;
            for (int part = 0; part < parts; part++)
            {
                launch(own.function(part, arguments.isFp8()), handle,
                    launch.of(arguments, isCaptured ? 0 : next, partOf(part, parts)));
            }

            position = isCaptured ? position : next;
            return position;
        }
        finally
        {
            device.launched();
        }
    }

    private static int partOf(final int part, final int parts)
    {
        return 1 == parts ? WHOLE : 0 == part ? FIRST : parts - 1 == part ? LAST : MIDDLE;
    }

    private void launch(final long function, final long handle, final long given)
    {
        final int result = device.launch(function, handle, shape.blocks(), THREADS, given, StepLaunch.BYTES);
        if (0 != result)
        {
            throw new CudaException("cuLaunchKernel", device.describe(), result);
        }
    }

    private long handleOf(final DeviceQueue queue)
    {
        if (0 == queue.handle())
        {
            return stream.handle();
        }

        if (!MemoryKind.CUDA.equals(queue.kind()) || device.ordinal() != queue.device())
        {
            throw new IllegalArgumentException(
                "queue = " + queue + " is not allowed: must be a CUstream of " + device.describe());
        }

        return queue.handle();
    }

    private void check(final Program program, final StepArguments arguments)
    {
        if (program.isDispatch() || program.isCombine())
        {
            arguments.check(shape, program.isDispatch());
            checkMemory(arguments, program.isDispatch());
        }

        if (program.isDispatch() && isOfSlots(program.ops()) != (StepPlacement.SLOTS == arguments.placement()))
        {
            throw new IllegalArgumentException("placement = " + arguments.placement() + " is not allowed in " +
                program.ops() + ": must be " + (isOfSlots(program.ops()) ? "SLOTS" : "DIRECT"));
        }

        final int local = shape.localExperts(arguments.experts());
        final int places = local * shape.expertRows();
        if (program.isCombine())
        {
            final MemoryRegion own = answers[arguments.answers()];
            holds("answers", arguments.answers(), own, (long)places * arguments.hidden() * Short.BYTES);
        }
        else
        {
            final StepOutput own = outputs[arguments.output()];
            final StepScales scales = arguments.isFp8() ? arguments.scales() : null;
            holds("output", arguments.output(), null == own ? null : own.rows(),
                StepOutput.rowsBytes(places, arguments.hidden(), scales));
            holds("output", arguments.output(), own.info(),
                StepOutput.infoBytes(places, local * shape.ranks(), local));
        }
    }

    private static void holds(final String name, final int number, final MemoryRegion region, final long bytes)
    {
        if (null == region)
        {
            throw new IllegalArgumentException(name + " = " + number + " is not allowed: it was not given");
        }

        if (region.length() < bytes)
        {
            throw new IllegalArgumentException(
                name + " = " + number + " has " + region.length() + " bytes: must have " + bytes);
        }
    }

    private void checkMemory(final StepArguments arguments, final boolean isDispatch)
    {
        if (isDispatch)
        {
            check("x", arguments, StepArguments.X, VECTOR);
            checkControl("ids", arguments, StepArguments.IDS, arguments.idBytes());
            checkControl("tokensAt", arguments, StepArguments.TOKENS_AT, Integer.BYTES);
        }
        else
        {
            checkControl("weights", arguments, StepArguments.WEIGHTS, Float.BYTES);
            check("combined", arguments, StepArguments.COMBINED, VECTOR);
            checkControl("leftOut", arguments, StepArguments.LEFT_OUT, 1);
        }
    }

    /** What is small may lie in host memory too, at the price of the way there. */
    private void checkControl(
        final String name, final StepArguments arguments, final int field, final int alignment)
    {
        final MemoryRegion region = arguments.region(field);
        if (null != region && region.kind().isHost())
        {
            requireAligned(name, hosts.of(name, region) + arguments.offset(field), alignment);
        }
        else
        {
            check(name, arguments, field, alignment);
        }
    }

    private static void requireAligned(final String name, final long address, final int alignment)
    {
        if (0 != address % alignment)
        {
            throw new IllegalArgumentException(
                name + " is at " + address + ", which is not allowed: must be at a multiple of " + alignment);
        }
    }

    private static void check(
        final String name, final StepArguments arguments, final int field, final int alignment)
    {
        final MemoryRegion region = arguments.region(field);
        if (null != region)
        {
            CudaSteps.requireCuda(name, region.kind(), alignment, region.address() + arguments.offset(field));
        }
    }

    /** {@inheritDoc} Nothing needs a thread; this finds out whether the device has failed. */
    @Override
    public int progress()
    {
        final long before = completed;
        final long now = completedPosition();
        if (!isClosed && now < position && now == before)
        {
            final int error = watch.look(now);
            if (0 != error)
            {
                device.giveUp();
                throw new TransportException("steps of " + device.describe() + " failed: step " + (now + 1) +
                    " ended with " + CudaException.describe(error), error, null);
            }
        }

        return (int)(now - before);
    }

    @Override
    public long position()
    {
        return position;
    }

    @Override
    public long completedPosition()
    {
        completed = isClosed ? completed : tables.completedPosition();
        return completed;
    }

    @Override
    public StepStatus status()
    {
        return tables.line();
    }

    @Override
    public void timeoutNs(final long ns)
    {
        launch.timeoutNs(ns);
    }

    @Override
    public void mask(final int rank)
    {
        requireOther(rank);
        tables.mask(rank);
    }

    @Override
    public void activate(final int rank, final StepPeer peer, final int generation)
    {
        requireOther(rank);
        if (completedPosition() != position)
        {
            throw new IllegalStateException("rank " + rank + " cannot be activated while a step is under way");
        }

        if (generation < generations[rank] || generation > StepWords.MAX_GENERATION)
        {
            throw new IllegalArgumentException("generation = " + generation + " of rank " + rank +
                " is not allowed: must be in [" + generations[rank] + ", " + StepWords.MAX_GENERATION + "]");
        }

        reach(rank, peer, generation);
        tables.activate(rank);
        tables.line().rank(rank, StepStatus.ACTIVE, StepOp.BUCKET);
    }

    private void requireOther(final int rank)
    {
        if (rank < 0 || rank >= shape.ranks() || rank == shape.ownRank())
        {
            throw new IllegalArgumentException("rank = " + rank + " is not allowed: must be in [0, " + shape.ranks() +
                ") and not the own rank " + shape.ownRank());
        }
    }

    @Override
    public StepFifo fifo()
    {
        return null == far ? null : far.fifo();
    }

    @Override
    public void close()
    {
        if (isClosed)
        {
            return;
        }

        final int error = stream.await(() -> completedPosition() >= position, stallNs);
        isClosed = true;
        onClose.run();
        if (0 != error)
        {
            device.giveUp();
            LOG.warn("{}: steps are given up: {}", device.describe(), CudaException.describe(-error));
            return;
        }

        stream.close();
        tables.close();
        if (null != far)
        {
            far.close();
        }
    }
}
