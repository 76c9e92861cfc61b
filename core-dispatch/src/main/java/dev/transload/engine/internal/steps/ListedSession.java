/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepFifo;
import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepScales;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepStatus;
import dev.transload.spi.MemoryRegion;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.NanoClock;

/** Goes through the primitives of submitted programs, one after the other. */
public final class ListedSession implements StepSession
{
    private static final int CAPACITY = 16;
    private static final int ALIGNMENT = 64;

    private final StepShape shape;
    private final StepArguments[] submitted = new StepArguments[CAPACITY];
    private final Program[] programs = new Program[CAPACITY];
    private final Parts parts;
    private final Peers peers;
    private final Bucket bucket;
    private final Counts counts;
    private final Starts starts;
    private final Place place;
    private final SendRows sendRows;
    private final SendAnswers sendAnswers;
    private final SendAnswers pushAnswers;
    private final Pack pack;
    private final Reduce reduce;
    private final Await[] waits = new Await[Moment.values().length];
    private final Tell[] tells = new Tell[waits.length];
    private final Tell tellOfPushed;
    private long position;
    private long completed;
    private int next;
    private boolean isBegun;
    private boolean isHeldUp;
    private long heldUpNs;

    private record Program(
        List<StepOp> ops, Primitive[] primitives, ListedSession session, boolean isDispatch, boolean isSum,
        boolean isOfSlots) implements StepProgram
    {
    }

    ListedSession(
        final StepShape shape, final List<StepPeer> given, final List<StepPeer> own, final StepSendBlocks blocks,
        final RowKernels kernels, final MemoryRegion scratch, final Consumer<MemoryRegion> acquire,
        final PeerNews news, final NanoClock clock)
    {
        this.shape = shape;
        final StepStatus status = new StepStatus(
            BufferUtil.allocateDirectAligned(StepStatus.bytes(shape.ranks()), ALIGNMENT), shape.ranks());
        peers = new Peers(shape, given, own, blocks, news, status);
        parts = new Parts(peers, new Call(shape), new StepArguments(), new StepSlots(shape), status, kernels, scratch,
            acquire, clock);
        for (int i = 0; i < CAPACITY; i++)
        {
            submitted[i] = new StepArguments();
        }

        bucket = new Bucket(parts);
        counts = new Counts(parts);
        starts = new Starts(parts);
        final Cast cast = new Cast(parts);
        place = new Place(parts, cast, false);
        sendRows = null == blocks ? null : new SendRows(parts, new Place(parts, cast, true));
        for (final Moment moment : Moment.values())
        {
            waits[moment.ordinal()] = new Await(parts, moment, starts);
            tells[moment.ordinal()] = new Tell(parts, moment, place, false);
        }

        tellOfPushed = new Tell(parts, Moment.READY, place, true);
        final Await done = waits[Moment.DONE.ordinal()];
        sendAnswers = null == blocks ? null : new SendAnswers(parts, starts, done, false);
        pushAnswers = null == peers.ownSlots(peers.ownRank) ? null : new SendAnswers(parts, starts, done, true);
        pack = new Pack(parts, starts, done);
        reduce = new Reduce(parts, waits[Moment.READY.ordinal()]);
    }

    @Override
    public StepProgram compile(final List<StepOp> ops)
    {
        final boolean isHalf = StepProgram.ANSWER.equals(ops) || StepProgram.SUM.equals(ops);
        if (!StepProgram.KNOWN.contains(ops) && !isHalf)
        {
            throw new IllegalArgumentException(
                "program " + ops + " is not known: must be one of those of StepProgram");
        }

        if (!isHalf && null == peers.fifo && ops.contains(StepOp.SEND_FAR))
        {
            throw new IllegalArgumentException("program " + ops + " is for far ranks, and all ranks are near");
        }

        if (null == peers.ownSlots(peers.ownRank) && (isHalf || isOfSlots(ops)))
        {
            throw new IllegalArgumentException("program " + ops + " uses slots, and the session was opened without");
        }

        final Primitive[] primitives = new Primitive[ops.size()];
        final int sums = ops.indexOf(StepOp.REDUCE);
        for (int i = 0; i < primitives.length; i++)
        {
            final Moment moment = sums < 0 ? Moment.DONE : i < sums ? Moment.READY : Moment.READ;
            primitives[i] = StepProgram.ANSWER.equals(ops) ? 0 == i ? pushAnswers : tellOfPushed :
                primitive(ops.get(i), moment);
        }

        return new Program(List.copyOf(ops), primitives, this, StepOp.BUCKET == ops.get(0), sums >= 0, isOfSlots(ops));
    }

    /** Whether rows of near ranks pass through slots. */
    private static boolean isOfSlots(final List<StepOp> ops)
    {
        return !ops.contains(StepOp.STARTS) && !ops.contains(StepOp.REDUCE);
    }

    /**
     * Give an own output a number, whose parts lie apart.
     *
     * @param number in [0, {@link dev.transload.kernels.StepWords#MAX_TENSORS}), for placement in slots.
     * @param output kept, not copied.
     */
    public void output(final int number, final OwnOutput output)
    {
        peers.ownOutput(number, output);
    }

    /**
     * As {@link #answers(int, int, MemoryRegion)}, from some byte on.
     *
     * @param rank    whose memory it is.
     * @param number  in [0, {@link dev.transload.kernels.StepWords#MAX_TENSORS}).
     * @param answers own memory, or a window to it.
     * @param offset  of the first answer.
     */
    public void answers(final int rank, final int number, final MemoryRegion answers, final long offset)
    {
        peers.answers(rank, number, answers, offset);
    }

    /** {@inheritDoc} Steps under way have it too, from their next wait on. */
    @Override
    public void timeoutNs(final long ns)
    {
        peers.timeoutNs(ns);
    }

    /**
     * A word in the own memory, as a rank has stored it.
     *
     * @param rank   that stores it.
     * @param offset by {@link dev.transload.kernels.StepWords}.
     * @return word.
     */
    public long word(final int rank, final long offset)
    {
        return peers.read(rank, offset);
    }

    /**
     * Rows and headers that the latest dispatch has for a rank.
     *
     * @param rank asked for.
     * @return slots, each with a header.
     */
    public int sentRows(final int rank)
    {
        return peers.isFar(rank) ? sendRows.count(rank) : place.slotsOf(rank);
    }

    /**
     * Whether rows of a rank are in what was received last.
     *
     * @param rank asked for.
     * @return false where it was masked before.
     */
    public boolean hasPacked(final int rank)
    {
        return pack.hasPacked(rank);
    }

    /**
     * Answers that the latest {@link StepProgram#ANSWER} has for a rank.
     *
     * @param rank asked for.
     * @return answers.
     */
    public int sentAnswers(final int rank)
    {
        return pushAnswers.count(rank);
    }

    private Primitive primitive(final StepOp op, final Moment moment)
    {
        return switch (op)
        {
            case BUCKET -> bucket;
            case COUNTS -> counts;
            case STARTS -> starts;
            case PLACE -> place;
            case SEND_FAR -> Moment.DONE == moment ? sendRows : sendAnswers;
            case TELL -> tells[moment.ordinal()];
            case AWAIT -> waits[moment.ordinal()];
            case PACK -> pack;
            case REDUCE -> reduce;
            default -> throw new IllegalArgumentException("no primitive " + op + " here");
        };
    }

    @Override
    public void output(final int rank, final int number, final StepOutput output)
    {
        peers.output(rank, number, output);
    }

    @Override
    public void answers(final int rank, final int number, final MemoryRegion answers)
    {
        peers.answers(rank, number, answers, 0);
    }

    @Override
    public long submit(final DeviceQueue queue, final StepProgram program, final StepArguments arguments)
    {
        if (!(program instanceof final Program own) || own.session() != this)
        {
            throw new IllegalArgumentException("program " + program.ops() + " was not compiled by this session");
        }

        if (0 != queue.handle())
        {
            throw new IllegalArgumentException("queue = " + queue + " is not allowed: steps of this session are done " +
                "by a thread, so the handle must be 0");
        }

        check(own, arguments);
        if (own.primitives()[0] == pushAnswers && StepPlacement.SLOTS != arguments.placement())
        {
            throw new IllegalArgumentException("placement = " + arguments.placement() + " is not allowed where " +
                "answers are pushed: must be SLOTS");
        }

        if (position - completed == CAPACITY)
        {
            return BACK_PRESSURED;
        }

        final int at = (int)(position % CAPACITY);
        submitted[at].set(arguments);
        programs[at] = own;
        return ++position;
    }

    private void check(final Program program, final StepArguments arguments)
    {
        if (program.isDispatch() || program.isSum())
        {
            arguments.check(shape, program.isDispatch());
        }

        if (program.isDispatch() && program.isOfSlots() != (StepPlacement.SLOTS == arguments.placement()))
        {
            throw new IllegalArgumentException("placement = " + arguments.placement() + " is not allowed in " +
                program.ops() + ": must be " + (program.isOfSlots() ? "SLOTS" : "DIRECT"));
        }

        if (arguments.isFp8() && StepScales.ROWS != arguments.scales() && !parts.isHost())
        {
            throw new IllegalArgumentException("scales = " + arguments.scales() + " is not allowed in " +
                parts.kernels().kind() + " memory: must be ROWS, others are made in HOST memory only");
        }

        if (!program.isSum() && !peers.hasOwnOutput(arguments.output()))
        {
            throw new IllegalArgumentException("output = " + arguments.output() + " is not allowed: it was not given");
        }

        for (int field = StepArguments.IDS; field <= StepArguments.TOKENS_AT; field += Long.BYTES)
        {
            final MemoryRegion region = arguments.region(field);
            if (StepArguments.COMBINED != field && null != region && !region.kind().isHost())
            {
                throw new IllegalArgumentException("ids, weights, leftOut and tokensAt must be in HOST memory, " +
                    "one is in " + region.kind() + " memory");
            }
        }
    }

    /** {@inheritDoc} One primitive at most, or one chunk of its rows: a rank may stop between any two of them. */
    @Override
    public int progress()
    {
        int work = parts.kernels().progress();
        final long nowNs = parts.clock().nanoTime();
        peers.giveSigns(nowNs);
        if (completed < position && isFree(nowNs))
        {
            final int primitive = next;
            final long ended = completed;
            final long submitted = parts.kernels().position();
            step(nowNs);
            work += primitive != next || ended != completed || submitted != parts.kernels().position() ? 1 : 0;
        }

        return work;
    }

    /**
     * Whether the step under way has begun, or may: nothing of the one before is read for far ranks any more, or none
     * of these takes part. Where nobody drains the FIFO, they are left out in the end (rule STP-12).
     */
    private boolean isFree(final long nowNs)
    {
        final boolean wasHeldUp = isHeldUp;
        isHeldUp = !isBegun && 0 == next && null != peers.fifo && !peers.fifo.isReleased() && peers.isAnyFarActive();
        heldUpNs = wasHeldUp ? heldUpNs : nowNs;
        if (isHeldUp && nowNs - heldUpNs >= StepShape.LONGEST_WAIT * peers.timeoutNs())
        {
            peers.maskFar();
            isHeldUp = false;
        }

        return !isHeldUp;
    }

    /**
     * Whether the next step cannot begin, as posts of the one before are not released.
     *
     * @return true until {@link StepFifo#release} says so, or no far rank takes part any more.
     */
    public boolean isHeldUp()
    {
        return completed < position && isHeldUp;
    }

    /** Goes on with the primitive under way. */
    private void step(final long nowNs)
    {
        final Program program = programs[(int)(completed % CAPACITY)];
        if (!isBegun)
        {
            isBegun = true;
            if (0 == next)
            {
                parts.arguments().set(submitted[(int)(completed % CAPACITY)]);
                parts.status().memory().putLong(StepStatus.BEGIN_NS, nowNs);
            }

            program.primitives()[next].begin(nowNs);
        }

        if (program.primitives()[next].isDone(nowNs))
        {
            isBegun = false;
            next++;
            if (program.primitives().length == next)
            {
                next = 0;
                completed++;
                parts.status().memory().putLong(StepStatus.END_NS, nowNs);
                parts.status().end(completed);
            }
        }
    }

    @Override
    public long position()
    {
        return position;
    }

    @Override
    public long completedPosition()
    {
        return completed;
    }

    @Override
    public StepStatus status()
    {
        return parts.status();
    }

    @Override
    public void mask(final int rank)
    {
        requireOther(rank);
        peers.mask(rank, StepStatus.ASKED, StepOp.BUCKET);
    }

    @Override
    public void activate(final int rank, final StepPeer peer, final int generation)
    {
        requireOther(rank);
        if (completed != position)
        {
            throw new IllegalStateException("rank " + rank + " cannot be activated while a step is under way");
        }

        peers.activate(rank, peer, generation);
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
        return peers.fifo;
    }

    /** {@inheritDoc} A step that waits for posts of the one before, which nobody may take any more, does not begin. */
    @Override
    public void close()
    {
        while (completed < position && isFree(parts.clock().nanoTime()))
        {
            if (0 == progress())
            {
                Thread.onSpinWait();
            }
        }
    }

    /** BUCKET. */
    private record Bucket(Parts parts) implements Primitive
    {
        @Override
        public void begin(final long nowNs)
        {
            parts.call().begin(parts.arguments());
            parts.status().memory().putLong(StepStatus.CALL, parts.call().number);
            parts.status().memory().putInt(StepStatus.BAD_IDS, parts.call().badIds);
        }

        @Override
        public boolean isDone(final long nowNs)
        {
            return true;
        }
    }
}
