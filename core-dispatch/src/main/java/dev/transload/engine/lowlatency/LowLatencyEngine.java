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
 * One rank's low-latency engine, which dispatches decode batches directly to the ranks of their experts and combines
 * the weighted answers. Every rank makes the same calls in the same order. One thread makes all calls on a rank,
 * including opening and closing. This thread does all the work, unless devices run the steps of the calls (see
 * {@link #isByDevice()}). Calls allocate no memory.
 * <p>
 * A rank that does not answer is masked: the current and later calls continue without it, and this rank writes nothing
 * to it. Each rank masks other ranks independently; see {@link #mask} and {@link #clear}.
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
     * Opens an engine that has its own transports and uses the row kernels on the class path. All ranks must take
     * part.
     *
     * @param config     settings of the engine.
     * @param rendezvous rendezvous of a world with all ranks of the configuration. No other engine may use this
     *                   rendezvous. The caller closes the rendezvous.
     * @param transports registry of the transports that the engine may use.
     * @return the engine, connected to its peers. Only the calling thread may use the engine.
     * @throws dev.transload.spi.ConfigurationException        if settings are wrong, or differ between ranks.
     * @throws dev.transload.spi.TransportUnavailableException if a transport or memory is not available, or if no
     *                                                         transport reaches a rank.
     * @throws dev.transload.rendezvous.RendezvousException    if some ranks do not answer.
     * @throws CallFailedException                             if a peer does not connect in time.
     */
    public static LowLatencyEngine open(
        final LowLatencyConfig config, final Rendezvous rendezvous, final TransportRegistry transports)
    {
        return open(config, rendezvous, transports, KernelRegistry.discover());
    }

    /**
     * Opens an engine that has its own transports, with given row kernels. All ranks must take part.
     *
     * @param config     settings of the engine.
     * @param rendezvous rendezvous of a world with all ranks of the configuration. No other engine may use this
     *                   rendezvous. The caller closes the rendezvous.
     * @param transports registry of the transports that the engine may use.
     * @param kernels    registry of the row kernels that the engine may use.
     * @return the engine, connected to its peers. Only the calling thread may use the engine.
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
     * Opens an engine that shares its transports with other engines and uses the row kernels on the class path. All
     * ranks must take part.
     *
     * @param config  settings of the engine.
     * @param context context of a world with all ranks of the configuration. All ranks must open their engines in the
     *                same order.
     * @return the engine, connected to its peers. Only the calling thread may use the engine.
     */
    public static LowLatencyEngine open(final LowLatencyConfig config, final TransportContext context)
    {
        return open(config, context, KernelRegistry.discover());
    }

    /**
     * Opens an engine that shares its transports with other engines, with given row kernels. All ranks must take part.
     *
     * @param config  settings of the engine.
     * @param context context of a world with all ranks of the configuration. All ranks must open their engines in the
     *                same order.
     * @param kernels registry of the row kernels that the engine may use.
     * @return the engine, connected to its peers. Only the calling thread may use the engine.
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
     * Estimates how much memory one rank provides in one stage for the writes of its peers. The estimate includes the
     * memory for both results that may be open at a time. The scale-up stage always has this memory; if devices run the
     * steps, it has only the control words. The scale-out stage has this memory if it reaches at least one rank. If any
     * rank is far, this rank also has memory for the rows that it sends to far ranks. The memory for these rows is at
     * most as large as the estimate.
     *
     * @param tokens  M, largest number of tokens of a rank in one call.
     * @param hidden  largest number of elements of a row.
     * @param ranks   P, number of ranks.
     * @param experts E, number of experts.
     * @param topk    K, number of selections of a token.
     * @return bytes of rows and control words, without the output and the caller's tensors.
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
     * Returns the world, which also has the number of this rank.
     *
     * @return world.
     */
    public World world()
    {
        return parts.world();
    }

    /**
     * Returns the settings of this engine.
     *
     * @return settings, including the memory kind and the device that the engine chose for the payload.
     */
    public LowLatencyConfig config()
    {
        return config;
    }

    /**
     * Returns whether devices run the steps of calls, instead of the calling threads. Devices run the steps if the
     * payload's device supports steps and reaches the memory of each rank, either directly or through a scale-out
     * transport that moves host memory. Settings, or too many ranks on one device, can prevent this; {@link #steps()}
     * gives the reason.
     * <p>
     * If devices run the steps, each call is one submission to a queue of the device, which a graph may capture. All
     * outputs must then be from {@link #allocateOutput}, and answers must be from {@link #allocateAnswers} or be the
     * rows of an output. All tensors of an output are in device memory. Selections and weights may be in device memory.
     *
     * @return true if devices run the steps; equal on all ranks.
     */
    public boolean isByDevice()
    {
        return parts.choice().isByDevice();
    }

    /**
     * Returns a text that says what runs the steps of calls: a device, with the number of thread blocks, or a CPU
     * thread, with the reason why no device runs them.
     *
     * @return text for reports.
     */
    public String steps()
    {
        return parts.choice().describe();
    }

    /**
     * Returns the number of this engine in its {@link TransportContext}. Names of meters contain this number.
     *
     * @return number in the order of opening, from 0; equal on all ranks.
     */
    public int number()
    {
        return parts.number();
    }

    /**
     * Returns the capabilities of the transports of both stages.
     *
     * @return capabilities of the scale-out transport, then of the scale-up transport. In a world of one node, both are
     *         those of the scale-up transport.
     */
    public List<Capabilities> transports()
    {
        return parts.stages().capabilities();
    }

    /**
     * Returns the name of the transport by which this rank writes to another rank.
     *
     * @param rank another rank.
     * @return name of the transport.
     */
    public String transportTo(final int rank)
    {
        return parts.transportTo(rank);
    }

    /**
     * Returns whether another rank is near, that is, whether the two ranks have mapped each other's memory. Rows are
     * then stored directly in the memory of the near rank. Rows for any other rank are put over transport channels;
     * {@code low-latency.channels} sets the number of channels.
     *
     * @param rank another rank.
     * @return true if the rank was near when the engine opened.
     */
    public boolean isNear(final int rank)
    {
        requireOther(rank);
        return parts.isNear(rank);
    }

    /**
     * Allocates host memory for tensors.
     *
     * @param bytes number of bytes, positive.
     * @return memory filled with zeros. The caller may close the memory when no call uses it. {@link #close()} of the
     *         engine frees memory that is still open.
     */
    public TensorMemory allocateHost(final long bytes)
    {
        return parts.tensors().allocate(MemoryKind.HOST, 0, bytes);
    }

    /**
     * Allocates memory of the payload's kind for tensors. If devices run the steps, a {@link LowLatencyOutput} and
     * answers cannot be in this memory; {@link #allocateOutput} and {@link #allocateAnswers} allocate them.
     *
     * @param bytes number of bytes, positive.
     * @return memory filled with zeros. The caller may close the memory when no call uses it. {@link #close()} of the
     *         engine frees memory that is still open.
     */
    public TensorMemory allocatePayload(final long bytes)
    {
        return parts.tensors().allocate(config.common().payloadKind(), config.common().device(), bytes);
    }

    /**
     * Registers memory that the caller owns. The caller must keep the memory until it closes the registration.
     *
     * @param kind    kind of the memory.
     * @param device  ordinal of the device, 0 for host memory.
     * @param address address of the first byte.
     * @param bytes   number of bytes, positive.
     * @return registration.
     */
    public TensorMemory register(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        return parts.tensors().register(kind, device, address, bytes);
    }

    /**
     * Allocates an output that many dispatches can use. If devices run the steps, peers write to the output. In that
     * case, all ranks must call this method and {@link #allocateAnswers} in the same order, with arguments that give
     * the same sizes, before any rank is lost; the memory of the output remains open until the engine closes.
     *
     * @param experts     E, number of experts.
     * @param hidden      number of elements of a row.
     * @param type        BF16, or F8_E4M3 if the dispatch is to cast rows.
     * @param scaleLayout layout of FP8 scales, null for BF16.
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
     * Allocates a tensor for answers, for use by many combines. If devices run the steps, all ranks must call this
     * method, under the conditions of {@link #allocateOutput}.
     *
     * @param experts E, number of experts.
     * @param hidden  number of elements of a row.
     * @return [L·R, hidden] BF16 of the payload's memory kind, where L·R is the number of rows of an output.
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
     * Sends this rank's rows to their experts. When this method returns, all rows are sent, or, if devices run the
     * steps, the call has been submitted. {@link LowLatencyDispatchResult#receive()} then receives the rows for this
     * rank's experts. If {@link LowLatencyDispatchRequest#atOnce()} is set, this method also receives them.
     *
     * @param request rows, selections and output of the dispatch.
     * @return result of the call. The caller may do other work before it calls {@code receive()}.
     * @throws BadInputException     if the input is not allowed; the message names the wrong value, its place and the
     *                               allowed values. In this case, no data has been sent.
     * @throws IllegalStateException if two results are open.
     * @throws CallFailedException   if the engine is closed, or an earlier call or a transport has failed. A dispatch
     *                               that also receives can fail for the same reasons as
     *                               {@link LowLatencyDispatchResult#receive()}.
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
     * Sends the answers of this rank's experts to the ranks that dispatched the tokens. When this method returns, all
     * answers are sent, or, if devices run the steps, the call has been submitted.
     * {@link LowLatencyCombineResult#receive()} then receives the answers to this rank's tokens.
     *
     * @param request answers, weights and output of the combine.
     * @return result of the call. The caller may do other work before it calls {@code receive()}.
     * @throws BadInputException   if the input is not allowed; the message names the wrong value, its place and the
     *                             allowed values. In this case, no data has been sent.
     * @throws CallFailedException if the engine is closed, or an earlier call or a transport has failed.
     */
    public LowLatencyCombineResult combine(final LowLatencyCombineRequest request)
    {
        final LowLatencyCombineResult result = calls.begin(request);
        calls.drive(result.exchange());
        return result;
    }

    /**
     * Returns whether a rank is active, that is, not masked by this rank.
     *
     * @param rank number of the rank.
     * @return false if this rank has masked the given rank.
     */
    public boolean isActive(final int rank)
    {
        return parts.mask().isActive(rank);
    }

    /**
     * Reports which ranks are active, that is, not masked by this rank.
     *
     * @param target array with one entry for each rank. This method sets the entries of active ranks to 1 and the
     *               entries of masked ranks to 0.
     * @return number of active ranks.
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
     * Returns the reason why this rank has masked a rank.
     *
     * @param rank number of the rank.
     * @return one sentence, null if the rank is not masked.
     */
    public String maskReason(final int rank)
    {
        return parts.mask().reason(rank);
    }

    /**
     * Masks a rank: from now on this rank writes nothing to the masked rank, whose tokens and experts take no part in
     * this rank's calls.
     *
     * @param rank another rank. If the rank is already masked, this method does nothing.
     */
    public void mask(final int rank)
    {
        requireOther(rank);
        parts.mask().mask(rank, "the caller asked for it");
        parts.mask().closeChannels();
    }

    /**
     * Makes a masked rank active again, over new channels. Both ranks must call this method for each other, with the
     * same generation and at the same place in the sequence of their calls. Both ranks must have made the same number
     * of dispatches. All earlier operations between the two ranks must have ended, and no result may be open.
     *
     * @param rank       another rank, masked or not.
     * @param generation number of the new connection, equal on both ranks. The number must be greater than
     *                   {@link #generation} of both ranks and at most 4094. Messages of other generations are ignored.
     * @throws BadInputException     if the rank or the generation is not allowed.
     * @throws IllegalStateException if a result is open, or if a transport has permanently closed its connection to the
     *                               rank.
     */
    public void clear(final int rank, final int generation)
    {
        requireOther(rank);
        calls.requireNoneAlive(rank);
        parts.clear(rank, generation);
    }

    /**
     * Returns the generation of the connection to a rank, as this rank knows it.
     *
     * @param rank another rank.
     * @return 0 until {@link #clear} is called for the rank, then the generation that was last passed to {@code clear}.
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
     * Returns the statistics of this rank.
     *
     * @return cumulative statistics since the engine was opened.
     */
    public LowLatencyStatistics statistics()
    {
        return parts.figures().snapshot();
    }

    /**
     * Returns the counters of this rank, which any thread may read while calls run.
     *
     * @return view of the counters, which stays valid after the engine is closed.
     */
    public LowLatencyCounters counters()
    {
        return parts.figures();
    }

    /**
     * Closes the engine. Messages that were already sent are delivered first. Other ranks need not close their engines
     * at the same time. Ranks that make further calls mask this rank. Closing again has no effect.
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
