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
 * One rank's end of a world that dispatches token rows to experts and combines them back. Every rank makes the same
 * calls in the same order; they run in the order of submission, asynchronously, on the engine's own threads or, with
 * {@code transload.threads.count = 0}, on the caller's thread, see {@link #drive}.
 * <p>
 * Opening and closing are collective. After a failed call the engine is retired: later calls are refused with the
 * cause, and the ranks open a new world. Calls may be submitted by any thread, in an order that is the same on all
 * ranks.
 */
public interface Engine extends AutoCloseable
{
    /**
     * Open with the row kernels found on the class path, and with transports of its own.
     *
     * @param config     settings.
     * @param rendezvous of a world of {@code nodes · ranksPerNode} ranks, for this engine alone; stays the caller's to
     *                   close.
     * @param transports found.
     * @return engine, connected to its peers if it has threads of its own.
     * @throws ConfigurationException if settings are wrong, or differ between ranks.
     * @throws dev.transload.spi.TransportUnavailableException if a transport or memory is not to be had.
     * @throws dev.transload.rendezvous.RendezvousException if ranks do not answer.
     * @throws CallFailedException if a peer fails meanwhile, or the deadline passes.
     */
    static Engine open(
        final EngineConfig config, final Rendezvous rendezvous, final TransportRegistry transports)
    {
        return open(config, rendezvous, transports, KernelRegistry.discover());
    }

    /**
     * Open with given row kernels.
     *
     * @param config     settings.
     * @param rendezvous of a world of {@code nodes · ranksPerNode} ranks, for this engine alone; stays the caller's to
     *                   close.
     * @param transports found.
     * @param kernels    found.
     * @return engine, connected to its peers if it has threads of its own.
     */
    static Engine open(
        final EngineConfig config, final Rendezvous rendezvous, final TransportRegistry transports,
        final KernelRegistry kernels)
    {
        return EngineProvider.find().open(config, rendezvous, transports, kernels);
    }

    /**
     * Open beside other engines of a world, with the row kernels found on the class path.
     *
     * @param config  settings.
     * @param context of a world of {@code nodes · ranksPerNode} ranks, all of which open their engines in this order.
     * @return engine, connected to its peers if it has threads of its own.
     * @throws ConfigurationException also if ranks open engines in another order, or if the engines of the context
     *                                differ in options of a transport.
     */
    static Engine open(final EngineConfig config, final TransportContext context)
    {
        return open(config, context, KernelRegistry.discover());
    }

    /**
     * Open beside other engines of a world, with given row kernels.
     *
     * @param config  settings.
     * @param context of a world of {@code nodes · ranksPerNode} ranks, all of which open their engines in this order.
     * @param kernels found.
     * @return engine, connected to its peers if it has threads of its own.
     */
    static Engine open(final EngineConfig config, final TransportContext context, final KernelRegistry kernels)
    {
        return EngineProvider.find().open(config, context, kernels);
    }

    /**
     * Memory that all rings of a rank will take with given settings, signals and meta messages aside.
     *
     * @param config settings; those of an open engine where rows live on a device, whose sizes fit that.
     * @return bytes which peers write to; on one host shared memory, or the device's.
     */
    static long ringBytes(final EngineConfig config)
    {
        return scaleOutRingBytes(config) + scaleUpRingBytes(config);
    }

    /**
     * The part of {@link #ringBytes} that ranks of other nodes write to.
     *
     * @param config settings, as there.
     * @return bytes; 0 in a world of one node.
     */
    static long scaleOutRingBytes(final EngineConfig config)
    {
        return EngineProvider.find().scaleOutRingBytes(config);
    }

    /**
     * The part of {@link #ringBytes} that ranks of the same node write to.
     *
     * @param config settings, as there.
     * @return bytes.
     */
    static long scaleUpRingBytes(final EngineConfig config)
    {
        return EngineProvider.find().scaleUpRingBytes(config);
    }

    /**
     * Place of this rank.
     *
     * @return world.
     */
    World world();

    /**
     * Settings.
     *
     * @return config.
     */
    EngineConfig config();

    /**
     * Which engine of its {@link TransportContext} it is; names of threads and meters tell engines by it.
     *
     * @return number in the order of opening, from 0; equal on all ranks.
     */
    int number();

    /**
     * What the transports can do.
     *
     * @return of the scale-out stage (the scale-up one's in a world of one node), of the scale-up stage.
     */
    List<Capabilities> transports();

    /**
     * Allocate host memory for tensors.
     *
     * @param bytes positive.
     * @return zeroed memory; close it when no call uses it, else the engine does at its own end.
     */
    TensorMemory allocateHost(long bytes);

    /**
     * Allocate memory of the payload's kind for tensors.
     *
     * @param bytes positive.
     * @return zeroed memory; close it when no call uses it, else the engine does at its own end.
     */
    TensorMemory allocatePayload(long bytes);

    /**
     * Register memory that the caller owns and keeps until it closes the registration.
     *
     * @param kind    of memory.
     * @param device  ordinal, 0 for host memory.
     * @param address of the first byte.
     * @param bytes   positive.
     * @return registration.
     */
    TensorMemory register(MemoryKind kind, int device, long address, long bytes);

    /**
     * Register memory as {@link #register}, that no other rank reaches in place: enough for tensors that a dispatch
     * reads, and for all of a combine but its rows, which pass the rings then. Nothing is exported, so it costs less.
     *
     * @param kind    of memory.
     * @param device  ordinal, 0 for host memory.
     * @param address of the first byte.
     * @param bytes   positive.
     * @return registration.
     */
    TensorMemory registerLocal(MemoryKind kind, int device, long address, long bytes);

    /**
     * Where tokens would go.
     *
     * @param topkIdx [T, K] I64 host: experts in [0, experts), −1 = no selection.
     * @param experts E; padded up to a multiple of the ranks.
     * @return counts and membership.
     * @throws BadInputException naming token, value and what is allowed.
     */
    DispatchLayout layout(Tensor topkIdx, int experts);

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
    Completion<DispatchResult> dispatch(DispatchRequest request);

    /**
     * Bring expert rows home.
     *
     * @param request rows, handle, biases, output.
     * @return completion with this rank's combined tokens.
     * @throws BadInputException   naming what, where and what is allowed; nothing was sent.
     * @throws CallFailedException if the engine is retired.
     */
    Completion<CombineResult> combine(CombineRequest request);

    /**
     * Figures of this rank.
     *
     * @return cumulative statistics.
     */
    EngineStatistics statistics();

    /**
     * Figures of this rank to be watched while it runs.
     *
     * @return view of counters, valid beyond the engine's end.
     */
    EngineCounters counters();

    /**
     * Whether all peers are connected.
     *
     * @return true once calls can move rows.
     */
    boolean isReady();

    /**
     * Wait until all peers are connected, as opening an engine with threads of its own does; drives one without.
     *
     * @throws CallFailedException if a peer fails meanwhile, or {@code transload.timeouts.open} passes.
     */
    void awaitReady();

    /**
     * Wait until every rank closes, {@code transload.timeouts.call} or 10 s at most; {@link #close()} does so by
     * itself where the engine has threads of its own. For one without, by another thread than that which drives it.
     */
    void awaitOthers();

    /**
     * One duty cycle of an engine without threads of its own; always the same thread must call it.
     *
     * @return work done; 0 means the caller may idle.
     * @throws IllegalStateException if the engine has threads.
     */
    int doWork();

    /**
     * Drive an engine without threads of its own while its caller waits for something other than a call; always the
     * same thread must call it. Rests as {@code transload.threads.idle} says whenever there is nothing to do.
     *
     * @param until asked before each duty cycle.
     * @return whether it holds; false once the engine is retired and has nothing left to do.
     * @throws IllegalStateException if the engine has threads.
     */
    boolean drive(BooleanSupplier until);

    /**
     * Close, collectively: waits until every rank closes (not after a failure, nor without threads of its own), so
     * that none finds its peers gone. Calls under way fail. Idempotent.
     */
    @Override
    void close();
}
