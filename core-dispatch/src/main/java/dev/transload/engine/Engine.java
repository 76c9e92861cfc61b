/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * One rank's engine, which dispatches token rows to experts and combines the answers. Every rank makes the same calls
 * in the same order. Calls run asynchronously, in the order of submission. They run on the engine's own threads, or, if
 * {@code transload.threads.count} is 0, on the caller's thread; see {@link #drive}.
 * <p>
 * Opening and closing are collective: every rank must take part. After a failed call the engine is retired: it refuses
 * later calls with an exception that names the cause, and the ranks must open another engine. With
 * {@link OnPeerFailure#MASK}, the loss of a rank fails no call: the engine goes on without the rank, and makes
 * unfinished calls again. Any thread may submit calls, but their order must be the same on all ranks.
 */
public interface Engine extends AutoCloseable
{
    /**
     * Opens an engine that has its own transports and uses the row kernels on the class path.
     *
     * @param config     settings of the engine.
     * @param rendezvous rendezvous of a world with all ranks of the configuration. No other engine may use this
     *                   rendezvous. The caller closes the rendezvous.
     * @param transports registry of the transports that the engine may use.
     * @return the engine. An engine with threads of its own is already connected to its peers.
     * @throws ConfigurationException if settings are wrong, or differ between ranks.
     * @throws dev.transload.spi.TransportUnavailableException if a transport or memory is not available.
     * @throws dev.transload.rendezvous.RendezvousException if some ranks do not answer.
     * @throws GroupChangedException if a rank is lost while the engine is opened, and the other ranks agreed on who is
     *                               left, unless the engine masks lost ranks.
     * @throws CallFailedException if a peer fails while the engine is opened, or the deadline passes.
     */
    static Engine open(
        final EngineConfig config, final Rendezvous rendezvous, final TransportRegistry transports)
    {
        return open(config, rendezvous, transports, KernelRegistry.discover());
    }

    /**
     * Opens an engine that has its own transports, with given row kernels.
     *
     * @param config     settings of the engine.
     * @param rendezvous rendezvous of a world with all ranks of the configuration. No other engine may use this
     *                   rendezvous. The caller closes the rendezvous.
     * @param transports registry of the transports that the engine may use.
     * @param kernels    registry of the row kernels that the engine may use.
     * @return the engine. An engine with threads of its own is already connected to its peers.
     */
    static Engine open(
        final EngineConfig config, final Rendezvous rendezvous, final TransportRegistry transports,
        final KernelRegistry kernels)
    {
        return EngineProvider.find().open(config, rendezvous, transports, kernels);
    }

    /**
     * Opens an engine that shares its transports with other engines and uses the row kernels on the class path.
     *
     * @param config  settings of the engine.
     * @param context context of a world with all ranks of the configuration. All ranks must open their engines in the
     *                same order.
     * @return the engine. An engine with threads of its own is already connected to its peers.
     * @throws ConfigurationException if settings are wrong or differ between ranks, if ranks open engines in different
     *                                orders, or if engines of the context set an option of a transport to different
     *                                values.
     */
    static Engine open(final EngineConfig config, final TransportContext context)
    {
        return open(config, context, KernelRegistry.discover());
    }

    /**
     * Opens an engine that shares its transports with other engines, with given row kernels.
     *
     * @param config  settings of the engine.
     * @param context context of a world with all ranks of the configuration. All ranks must open their engines in the
     *                same order.
     * @param kernels registry of the row kernels that the engine may use.
     * @return the engine. An engine with threads of its own is already connected to its peers.
     */
    static Engine open(final EngineConfig config, final TransportContext context, final KernelRegistry kernels)
    {
        return EngineProvider.find().open(config, context, kernels);
    }

    /**
     * Returns how much memory the rings of one rank take with given settings, not counting signals and metadata.
     *
     * @param config settings. If rows are in device memory, use {@link #config()} of an open engine, because only these
     *               settings have the sizes for the device.
     * @return number of bytes of the memory that peers write to. This memory is device memory if rows are in device
     *         memory, but the rings between nodes are in host memory if rows are staged. It is shared memory if rows
     *         are in host memory and the ranks are on one host.
     */
    static long ringBytes(final EngineConfig config)
    {
        return scaleOutRingBytes(config) + scaleUpRingBytes(config);
    }

    /**
     * Returns the part of {@link #ringBytes} that ranks of other nodes write to.
     *
     * @param config settings, as for {@link #ringBytes}.
     * @return number of bytes, 0 in a world of one node.
     */
    static long scaleOutRingBytes(final EngineConfig config)
    {
        return EngineProvider.find().scaleOutRingBytes(config);
    }

    /**
     * Returns the part of {@link #ringBytes} that ranks of the same node write to.
     *
     * @param config settings, as for {@link #ringBytes}.
     * @return number of bytes.
     */
    static long scaleUpRingBytes(final EngineConfig config)
    {
        return EngineProvider.find().scaleUpRingBytes(config);
    }

    /**
     * Returns the world, which also has the number of this rank.
     *
     * @return world. With {@link OnPeerFailure#MASK}, ranks that the engine has gone on without are absent in it.
     */
    World world();

    /**
     * Returns the settings of this engine.
     *
     * @return settings, including the values that were chosen when the engine was opened.
     */
    EngineConfig config();

    /**
     * Returns the number of this engine in its {@link TransportContext}. Names of threads and meters contain this
     * number.
     *
     * @return number in the order of opening, from 0; equal on all ranks. It becomes larger when the engine goes on
     *         without a lost rank.
     */
    int number();

    /**
     * Returns the capabilities of the transports of both stages.
     *
     * @return capabilities of the scale-out transport, then of the scale-up transport. In a world of one node, both
     *         elements are the capabilities of the scale-up transport.
     */
    List<Capabilities> transports();

    /**
     * Allocates host memory for tensors.
     *
     * @param bytes number of bytes, positive.
     * @return memory filled with zeros. The caller can close the memory when no call uses it. {@link #close()} of the
     *         engine frees memory that is not closed yet.
     */
    TensorMemory allocateHost(long bytes);

    /**
     * Allocates memory of the payload's kind for tensors.
     *
     * @param bytes number of bytes, positive.
     * @return memory filled with zeros. The caller can close the memory when no call uses it. {@link #close()} of the
     *         engine frees memory that is not closed yet.
     */
    TensorMemory allocatePayload(long bytes);

    /**
     * Registers memory that the caller owns. The caller must keep the memory until it closes the registration.
     *
     * @param kind    kind of the memory.
     * @param device  ordinal of the device, 0 for host memory.
     * @param address address of the first byte.
     * @param bytes   number of bytes, positive.
     * @return registration.
     */
    TensorMemory register(MemoryKind kind, int device, long address, long bytes);

    /**
     * Registers memory like {@link #register}, but without access for other ranks. This registration suits tensors that
     * a dispatch reads, and all tensors of a combine except the expert rows. Without access for other ranks, expert
     * rows are sent through the rings. The registration costs less than {@link #register}, since it exports no memory.
     *
     * @param kind    kind of the memory.
     * @param device  ordinal of the device, 0 for host memory.
     * @param address address of the first byte.
     * @param bytes   number of bytes, positive.
     * @return registration.
     */
    TensorMemory registerLocal(MemoryKind kind, int device, long address, long bytes);

    /**
     * Computes how many tokens this rank would send to each rank, node and expert.
     *
     * @param topkIdx [T, K] I64 in host memory: for each of T tokens, its K experts in [0, experts), −1 for no
     *                selection.
     * @param experts E, number of experts; the engine pads it to a multiple of the number of ranks.
     * @return number of tokens for each rank, node and expert.
     * @throws BadInputException if a selection is not allowed; the message names the token, the value and the allowed
     *                           values.
     */
    DispatchLayout layout(Tensor topkIdx, int experts);

    /**
     * Sends this rank's token rows to their experts. The engine checks and routes the input before this method returns,
     * except the values of top-k tensors on the payload's device: it checks and routes these when the call starts. If
     * these values are wrong, the call fails with {@link CallFailedException.Reason#BAD_INPUT}. The tensors of the
     * request must not change until the call completes.
     *
     * @param request rows, selections and output of the dispatch.
     * @return completion whose result has the rows for this rank's experts.
     * @throws BadInputException   if the input is not allowed; the message names the wrong value, its place and the
     *                             allowed values. No data was sent.
     * @throws CallFailedException   if the engine is retired.
     * @throws IllegalStateException if 1,024 calls are waiting already.
     */
    Completion<DispatchResult> dispatch(DispatchRequest request);

    /**
     * Sends expert rows back to the source ranks of the tokens. For each token, the answers of its experts are summed.
     *
     * @param request expert rows, handle, biases and output of the combine.
     * @return completion whose result has this rank's combined tokens.
     * @throws BadInputException   if the input is not allowed; the message names the wrong value, its place and the
     *                             allowed values. No data was sent.
     * @throws CallFailedException   if the engine is retired.
     * @throws IllegalStateException if 1,024 calls are waiting already.
     */
    Completion<CombineResult> combine(CombineRequest request);

    /**
     * Readmits ranks whose restarted processes have joined the rendezvous (its {@code hasReturned()} is true) and are
     * opening an engine. This is a call: all ranks must make it at the same place in the sequence of their calls. The
     * calls before it do not have the readmitted ranks, the calls after it do. If no process waits, the ranks only wait
     * for each other.
     * <p>
     * If ranks were readmitted, handles of earlier dispatches can only be closed: a call with such a handle fails with
     * {@link BadInputException}. In the restarted process, opening the engine returns when the rank is readmitted, and
     * fails if that takes longer than {@link EngineConfig#openTimeout()}. Its first call is the next one of all ranks,
     * see {@link #calls}.
     *
     * @return completion whose result lists the readmitted ranks, equal on all ranks that made this call. A rank of the
     *         list may have been lost again meanwhile.
     * @throws CallFailedException   if the engine is retired.
     * @throws IllegalStateException unless the engine has {@link OnPeerFailure#MASK}, if {@code transload.max-experts}
     *                               is less than the number of ranks, or if 1,024 calls are waiting already.
     */
    Completion<List<Integer>> readmit();

    /**
     * Returns the number of calls that were submitted: dispatches, combines and readmissions. At the same place in the
     * sequence of calls, it is equal on all ranks; on a readmitted rank, it begins with the number of the other ranks.
     *
     * @return number of calls.
     */
    long calls();

    /**
     * Returns the statistics of this rank.
     *
     * @return cumulative statistics since the engine was opened, or since the present ranks changed.
     */
    EngineStatistics statistics();

    /**
     * Returns the counters of this rank, which any thread may read while the engine runs.
     *
     * @return view of the counters, which stays valid after the engine is closed. The counters begin at 0 again when
     *         the engine goes on without a lost rank.
     */
    EngineCounters counters();

    /**
     * Returns whether all peers are connected.
     *
     * @return true if all peers are connected, so that calls can send rows.
     */
    boolean isReady();

    /**
     * Waits until all peers are connected. An engine with threads of its own is connected when it is opened. This
     * method drives an engine without threads of its own.
     *
     * @throws CallFailedException if a peer fails meanwhile, or {@code transload.timeouts.open} passes.
     */
    void awaitReady();

    /**
     * Waits until every rank has called this method. The longest wait is 10 s or {@code transload.timeouts.call},
     * whichever is shorter, and begins again if the engine goes on without a lost rank meanwhile. {@link #close()} of
     * an engine with threads of its own calls this method. For an engine without threads, call it before
     * {@link #close()}, from a thread that does not drive the engine.
     */
    void awaitOthers();

    /**
     * Runs one duty cycle of an engine without threads of its own. All calls of this method and of {@link #drive} must
     * come from the same thread.
     *
     * @return amount of work done; 0 means that the caller may idle.
     * @throws IllegalStateException if the engine has threads of its own.
     */
    int doWork();

    /**
     * Drives an engine without threads of its own until a given condition is true. All calls of this method and of
     * {@link #doWork} must come from the same thread. When there is no work, the thread idles as
     * {@code transload.threads.idle} says.
     *
     * @param until condition, checked before each duty cycle.
     * @return true if the condition became true; false if the engine is retired and has no work left.
     * @throws IllegalStateException if the engine has threads of its own.
     */
    boolean drive(BooleanSupplier until);

    /**
     * Closes the engine. Closing is collective: an engine with threads of its own waits until every rank closes, unless
     * the engine has failed. Unfinished calls fail. Idempotent.
     */
    @Override
    void close();
}
