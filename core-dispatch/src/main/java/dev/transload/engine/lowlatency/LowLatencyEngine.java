/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.BadInputException;
import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.DataType;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.TransportContext;
import dev.transload.engine.World;
import dev.transload.engine.internal.connect.SharedTransports;
import dev.transload.kernels.StepOutput;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.Capabilities;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import java.util.List;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * One rank's end of a world that dispatches decode batches in one hop and combines them, weighted. Every rank makes the
 * same calls in the same order; all of them, opening and closing too, on one thread, which does all the work. Nothing
 * is allocated in a call.
 * <p>
 * A rank that does not answer is masked: the call and later ones go on without it, and nothing is written to it any
 * more. That is this rank's own verdict; see {@link #mask} and {@link #clear}.
 */
public final class LowLatencyEngine implements AutoCloseable
{
    private final LowLatencyConfig config;
    private final LowLatencyParts parts;
    private final Calls calls;
    private final NanoClock clock;
    private final IdleStrategy idle;

    LowLatencyEngine(final LowLatencyParts parts, final NanoClock clock, final IdleStrategy idle)
    {
        this.config = parts.config();
        this.parts = parts;
        this.clock = clock;
        this.idle = idle;
        this.calls = new Calls(parts, clock, idle);
    }

    /**
     * Open with the row kernels found on the class path and with transports of its own, collectively.
     *
     * @param config     settings.
     * @param rendezvous of a world of {@code nodes · ranksPerNode} ranks, for this engine alone; stays the caller's to
     *                   close.
     * @param transports found.
     * @return engine, connected to its peers; the calling thread is the one that uses it.
     * @throws dev.transload.spi.ConfigurationException        if settings are wrong, or differ between ranks.
     * @throws dev.transload.spi.TransportUnavailableException if a transport or memory is not to be had, or neither
     *                                                         stage's transport reaches a rank.
     * @throws dev.transload.rendezvous.RendezvousException    if ranks do not answer.
     * @throws CallFailedException                             if a peer does not connect in time.
     */
    public static LowLatencyEngine open(
        final LowLatencyConfig config, final Rendezvous rendezvous, final TransportRegistry transports)
    {
        return open(config, rendezvous, transports, KernelRegistry.discover());
    }

    /**
     * Open with given row kernels, collectively.
     *
     * @param config     settings.
     * @param rendezvous of a world of {@code nodes · ranksPerNode} ranks, for this engine alone; stays the caller's to
     *                   close.
     * @param transports found.
     * @param kernels    found.
     * @return engine, connected to its peers; the calling thread is the one that uses it.
     */
    public static LowLatencyEngine open(
        final LowLatencyConfig config, final Rendezvous rendezvous, final TransportRegistry transports,
        final KernelRegistry kernels)
    {
        try (TransportContext own = new SharedTransports(rendezvous, transports, true))
        {
            return open(config, own, kernels);
        }
    }

    /**
     * Open beside other engines of a world, with the row kernels found on the class path, collectively.
     *
     * @param config  settings.
     * @param context of a world of {@code nodes · ranksPerNode} ranks, all of which open their engines in this order.
     * @return engine, connected to its peers; the calling thread is the one that uses it.
     */
    public static LowLatencyEngine open(final LowLatencyConfig config, final TransportContext context)
    {
        return open(config, context, KernelRegistry.discover());
    }

    /**
     * Open beside other engines of a world, with given row kernels, collectively.
     *
     * @param config  settings.
     * @param context of a world of {@code nodes · ranksPerNode} ranks, all of which open their engines in this order.
     * @param kernels found.
     * @return engine, connected to its peers; the calling thread is the one that uses it.
     */
    public static LowLatencyEngine open(
        final LowLatencyConfig config, final TransportContext context, final KernelRegistry kernels)
    {
        final LowLatencyParts parts = LowLatencyParts.open(config, context, kernels);
        final LowLatencyEngine engine = new LowLatencyEngine(
            parts, System::nanoTime, LowLatencyParts.idle(config.common().threading().idle()));
        try
        {
            engine.connect();
        }
        catch (final RuntimeException | Error ex)
        {
            parts.close();
            throw ex;
        }

        return engine;
    }

    /**
     * Size hint: memory that peers write to, in both lanes of a rank.
     *
     * @param tokens  M, most tokens of one call of a rank.
     * @param hidden  widest row in elements.
     * @param ranks   P.
     * @param experts E.
     * @param topk    K.
     * @return bytes, of rows and of words; the output and the caller's tensors are not among them.
     */
    public static long bytes(
        final int tokens, final int hidden, final int ranks, final int experts, final int topk)
    {
        final Shape shape = new Shape(ranks, 0, tokens, hidden, experts, topk);
        return Shape.LANES * (shape.slotsBytes() + shape.controlBytes());
    }

    private void connect()
    {
        final long deadlineNs = clock.nanoTime() + config.common().openTimeout().toNanos();
        while (!isReady())
        {
            final int late = parts.unconnected();
            if (clock.nanoTime() - deadlineNs > 0 && late >= 0)
            {
                throw new CallFailedException(Reason.DEADLINE, late, "rank " + world().rank() +
                    " was not connected to rank " + late + " within transload.timeouts.open = " +
                    config.common().openTimeout().toMillis() + " ms", null);
            }

            idle.idle();
        }
    }

    /** Step by step, for a thread that drives several ranks. */
    Calls calls()
    {
        return calls;
    }

    /** Connects on first use; true once all peers are connected. */
    boolean isReady()
    {
        return parts.isReady(clock);
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
     * @return config, with the payload's kind and device settled.
     */
    public LowLatencyConfig config()
    {
        return config;
    }

    /**
     * Whether devices do the steps of calls, and not the calling threads: where the payload's device has steps, and
     * reaches each rank's memory in place, or by a scale-out transport that moves host memory. Then a call is one
     * submission to a queue of the device, which a graph may capture; outputs and answers are of
     * {@link #allocateOutput} and {@link #allocateAnswers}, all of an output is in the device's memory, and selections
     * and weights may be.
     *
     * @return equal on all ranks.
     */
    public boolean isByDevice()
    {
        return parts.choice().isByDevice();
    }

    /**
     * Who does the steps of calls, and with how many blocks or why not the device.
     *
     * @return for reports.
     */
    public String steps()
    {
        return parts.choice().describe();
    }

    /**
     * Which engine of its {@link TransportContext} it is; names of meters tell engines by it.
     *
     * @return number in the order of opening, from 0; equal on all ranks.
     */
    public int number()
    {
        return parts.number();
    }

    /**
     * What the transports can do.
     *
     * @return of the scale-out stage (the scale-up one's in a world of one node), of the scale-up stage.
     */
    public List<Capabilities> transports()
    {
        return parts.stages().capabilities();
    }

    /**
     * Name of the transport by which this rank writes to another.
     *
     * @param rank another one.
     * @return name.
     */
    public String transportTo(final int rank)
    {
        return parts.transportTo(rank);
    }

    /**
     * Allocate host memory for tensors.
     *
     * @param bytes positive.
     * @return zeroed memory; close it when no call uses it, else the engine does at its own end.
     */
    public TensorMemory allocateHost(final long bytes)
    {
        return parts.tensors().allocate(MemoryKind.HOST, 0, bytes);
    }

    /**
     * Allocate memory of the payload's kind for tensors: rows are sent from it as they are, also those of a combine.
     *
     * @param bytes positive.
     * @return zeroed memory; close it when no call uses it, else the engine does at its own end.
     */
    public TensorMemory allocatePayload(final long bytes)
    {
        return parts.tensors().allocate(config.common().payloadKind(), config.common().device(), bytes);
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
        return parts.tensors().register(kind, device, address, bytes);
    }

    /**
     * Allocate an output for dispatches, once for many calls. Where devices do the steps, peers write to it: all ranks
     * must call this and {@link #allocateAnswers} in the same order with arguments that give the same sizes, before
     * any of them is lost, and memory of it is the engine's to close.
     *
     * @param experts     E.
     * @param hidden      elements of a row.
     * @param type        BF16, or F8_E4M3 to have rows cast on their way.
     * @param scaleLayout of FP8 scales, null with BF16.
     * @return output.
     */
    public LowLatencyOutput allocateOutput(
        final int experts, final int hidden, final DataType type, final ScaleLayout scaleLayout)
    {
        final int localExperts = parts.shape().steps().localExperts(experts);
        final int expertRows = parts.shape().expertRows();
        final int rows = parts.shape().places(experts);
        final int ranges = localExperts * world().size();
        final long scalesAt = Shape.align((long)rows * hidden * type.bytes());
        final int words = null == scaleLayout ? 0 : scaleLayout.words(hidden);
        final long rowBytes = scalesAt + (long)rows * words * Float.BYTES;
        final long infoBytes = StepOutput.infoBytes(rows, ranges, localExperts);
        final int number = isByDevice() ? parts.shared().allocate(rowBytes, infoBytes) : -1;
        final TensorMemory payload = isByDevice() ? parts.shared().rows(number) : allocatePayload(rowBytes);
        final TensorMemory info = isByDevice() ? parts.shared().info(number) : allocateHost(infoBytes);
        final Tensor scales = null == scaleLayout ? null : scaleLayout.isByColumn() ?
            new Tensor(payload, scalesAt, scaleLayout.type(), localExperts * words, expertRows) :
            new Tensor(payload, scalesAt, scaleLayout.type(), rows, words);
        return new LowLatencyOutput(new Tensor(payload, 0, type, rows, hidden), scales, scaleLayout,
            new Tensor(info, StepOutput.countOffset(rows, ranges), DataType.I32, localExperts, 1),
            new Tensor(info, 0, DataType.I32, localExperts, expertRows),
            new Tensor(info, StepOutput.layoutRangeOffset(rows), DataType.I64, localExperts, world().size()));
    }

    /**
     * Allocate answers for combines, once for many calls; collectively where devices do the steps, as
     * {@link #allocateOutput}.
     *
     * @param experts E.
     * @param hidden  elements of a row.
     * @return [L·R, hidden] BF16 of the payload's memory kind.
     */
    public Tensor allocateAnswers(final int experts, final int hidden)
    {
        final int rows = parts.shape().places(experts);
        final long bytes = (long)rows * hidden * DataType.BF16.bytes();
        final TensorMemory memory = isByDevice() ?
            parts.shared().rows(parts.shared().allocate(bytes, 0)) : allocatePayload(bytes);
        return new Tensor(memory, 0, DataType.BF16, rows, hidden);
    }

    /**
     * Send this rank's rows to their experts. When this returns, all is sent; what comes is received by the result, if
     * the request does not ask for all {@link LowLatencyDispatchRequest#atOnce()}.
     *
     * @param request rows, routing, output.
     * @return result, to be received before or after whatever the caller does meanwhile.
     * @throws BadInputException     naming what, where and what is allowed; nothing was sent.
     * @throws IllegalStateException if two results are alive.
     * @throws CallFailedException   if the engine is retired; of a dispatch that receives at once also as
     *                               {@link LowLatencyDispatchResult#receive()} says.
     */
    public LowLatencyDispatchResult dispatch(final LowLatencyDispatchRequest request)
    {
        final LowLatencyDispatchResult result = calls.begin(request);
        calls.drive(result.exchange());
        if (request.isAtOnce())
        {
            calls.receive(result);
        }

        return result;
    }

    /**
     * Send the answers of this rank's experts to where their tokens came from. When this returns, all is sent; the
     * answers to this rank's tokens are received by the result.
     *
     * @param request rows, weights, output.
     * @return result, to be received before or after whatever the caller does meanwhile.
     * @throws BadInputException   naming what, where and what is allowed; nothing was sent.
     * @throws CallFailedException if the engine is retired.
     */
    public LowLatencyCombineResult combine(final LowLatencyCombineRequest request)
    {
        final LowLatencyCombineResult result = calls.begin(request);
        calls.drive(result.exchange());
        return result;
    }

    /**
     * Whether a rank takes part, as far as this rank knows.
     *
     * @param rank asked for.
     * @return false if it is masked.
     */
    public boolean isActive(final int rank)
    {
        return parts.mask().isActive(rank);
    }

    /**
     * Which ranks take part.
     *
     * @param target [P] gets 1 for ranks that take part, 0 for masked ones.
     * @return number of ranks that take part.
     */
    public int activeRanks(final int[] target)
    {
        int active = 0;
        for (int rank = 0; rank < world().size(); rank++)
        {
            target[rank] = isActive(rank) ? 1 : 0;
            active += target[rank];
        }

        return active;
    }

    /**
     * Why a rank is masked.
     *
     * @param rank asked for.
     * @return one sentence, null while it takes part.
     */
    public String maskReason(final int rank)
    {
        return parts.mask().reason(rank);
    }

    /**
     * Have a rank take part no more: from now on nothing is written to it, and its tokens and experts count as none.
     *
     * @param rank another one; nothing to do if it is masked already.
     */
    public void mask(final int rank)
    {
        requireOther(rank);
        parts.mask().mask(rank, "the caller asked for it");
        parts.mask().closeChannels();
    }

    /**
     * Have a rank take part again, over new channels. Both ranks must call this for each other, between the same two
     * calls of theirs, with the same generation, and have made as many dispatches; whatever either sent before must
     * have come to rest. No result may be alive.
     *
     * @param rank       another one, masked or not.
     * @param generation of their connection from now on, which both agree on: above {@link #generation} of both, at
     *                   most 4094. What other generations tell is not looked at.
     * @throws BadInputException     if the rank or the generation is not allowed.
     * @throws IllegalStateException if a result is alive, or a transport has given the rank up.
     */
    public void clear(final int rank, final int generation)
    {
        requireOther(rank);
        calls.requireNoneAlive(rank);
        parts.clear(rank, generation);
    }

    /**
     * Which connection to a rank is in use, as far as this rank knows.
     *
     * @param rank another one.
     * @return 0 until it is cleared, then what was given for that.
     */
    public int generation(final int rank)
    {
        requireOther(rank);
        return parts.link(rank).generation();
    }

    private void requireOther(final int rank)
    {
        if (rank < 0 || rank >= world().size() || rank == world().rank())
        {
            throw new BadInputException("rank = " + rank + " is not allowed: must be in [0, " + world().size() +
                ") and not the own rank " + world().rank());
        }
    }

    /**
     * Counters of this rank.
     *
     * @return cumulative statistics.
     */
    public LowLatencyStatistics statistics()
    {
        return parts.figures().snapshot();
    }

    /**
     * Counters that any thread may read while calls go on.
     *
     * @return view that outlives the engine.
     */
    public LowLatencyCounters counters()
    {
        return parts.figures();
    }

    /**
     * Close. What was sent is brought to its ranks first, but those need not close too; ranks that call on mask this
     * one. Idempotent.
     */
    @Override
    public void close()
    {
        if (calls.close())
        {
            parts.settle(clock, idle);
            parts.close();
        }
    }
}
