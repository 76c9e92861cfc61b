/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import com.typesafe.config.Config;
import dev.transload.kernels.ElementType;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;

/**
 * Validated settings of an engine; every key is documented in this module's {@code reference.conf}.
 *
 * @param world            number of ranks of each node.
 * @param sizes            sizes as configured. The number of channels and the sizes of both stages are derived from
 *                         them.
 * @param channels         C, number of channels of the pipeline. Until the engine opens, this is the number for rows in
 *                         host memory.
 * @param maxHidden        largest number of elements of a row.
 * @param maxTopk          largest number K of selections of a token.
 * @param maxExperts       largest number of experts, without padding.
 * @param scaleOut         settings of the stage between nodes. Until the engine opens, the sizes are for rows in host
 *                         memory.
 * @param scaleUp          settings of the stage within a node. Until the engine opens, the sizes are for rows in host
 *                         memory.
 * @param placement        how rows are moved between ranks of one node.
 * @param combineWire      element type of partial sums that are sent between nodes, BF16 or F32.
 * @param output           order of delivered rows for requests that set no order.
 * @param expertAlignment  alignment of the number of rows of an expert, for requests that set no alignment.
 * @param threading        settings of the engine's threads.
 * @param payload          memory kind and device of the token rows.
 * @param callTimeout      deadline of a call whose request sets no deadline.
 * @param openTimeout      deadline for opening an engine.
 * @param livenessTimeout  time without a message after which a peer counts as dead, at most a quarter of the call
 *                         timeout.
 * @param onPeerFailure    what the engine does when a rank is lost.
 * @param transportOptions options by name of the transport, then by key.
 * @param kernelOptions    options of the row kernels of host memory, by key.
 */
public record EngineConfig(
    WorldConfig world,
    SizeConfig sizes,
    int channels,
    int maxHidden,
    int maxTopk,
    int maxExperts,
    StageConfig scaleOut,
    StageConfig scaleUp,
    Placement placement,
    ElementType combineWire,
    OutputLayout output,
    int expertAlignment,
    ThreadConfig threading,
    PayloadConfig payload,
    Duration callTimeout,
    Duration openTimeout,
    Duration livenessTimeout,
    OnPeerFailure onPeerFailure,
    Map<String, Map<String, String>> transportOptions,
    Map<String, String> kernelOptions)
{
    private static final String KERNELS = "kernels";

    /**
     * Creates a builder that has the defaults of {@code reference.conf}.
     *
     * @return builder.
     */
    public static EngineConfigBuilder builder()
    {
        return new EngineConfigBuilder();
    }

    /**
     * Reads and validates a configuration. A value that is {@code auto} is chosen to suit the world, the model and rows
     * in host memory.
     *
     * @param root resolved configuration with a {@code transload} section and this module's {@code reference.conf} as
     *             fallback.
     * @return settings.
     * @throws dev.transload.spi.ConfigurationException if a value is not allowed; the message names the key, the value
     *                                                  and the allowed values.
     */
    public static EngineConfig from(final Config root)
    {
        return EngineProvider.find().read(root);
    }

    /**
     * Chooses the transport of each stage. If a stage names several transports, the first one that is available on this
     * host is chosen. A world of one node needs no transport between nodes. In such a world, this method does not check
     * whether the transport between nodes is available, and replaces {@link StageConfig#AUTO} between nodes by the
     * transport within the node.
     *
     * @param registry registry of the transports found.
     * @return copy in which each stage names one transport. Each stage also lists the transports that were preferred to
     *         the chosen transport but are not available, with the reasons.
     * @throws dev.transload.spi.ConfigurationException        if {@link StageConfig#AUTO} finds no transport or more
     *                                                         than one, or if one of several names is unknown.
     * @throws dev.transload.spi.TransportUnavailableException if none of several transports is available; the message
     *                                                         has all reasons.
     */
    public EngineConfig resolve(final TransportRegistry registry)
    {
        final StageConfig up = scaleUp.resolve("scale-up", registry, this::optionsOf);
        return with(channels, nodes() > 1 ? scaleOut.resolve("scale-out", registry, this::optionsOf) :
            scaleOut.resolveUnused(registry, up.transport()), up);
    }

    /**
     * Lets the caller's thread drive the engine if ranks outnumber cores. This suits a program that drives the engine
     * whenever it waits, with {@link Completion#await()} or {@link Engine#drive}. The engine then has no threads of its
     * own, which would compete with the program's threads for cores. The method has no effect if rows are in device
     * memory, or if the number or the cores of the threads are configured.
     *
     * @return copy of the settings, or these settings themselves if the number of threads is configured.
     */
    public EngineConfig callerMayDrive()
    {
        return ThreadConfig.AUTO != threading.count() ? this : with(new ThreadConfig(
            ThreadConfig.AUTO_OR_CALLER, threading.idle(), threading.cores(), threading.roles()));
    }

    /**
     * Returns a copy with other settings of the payload.
     *
     * @param rows memory kind and device of the rows.
     * @return copy.
     */
    public EngineConfig with(final PayloadConfig rows)
    {
        return with(world, channels, scaleOut, scaleUp, threading, rows);
    }

    /**
     * Returns a copy with other settings of the threads.
     *
     * @param threads settings of the engine's threads.
     * @return copy.
     */
    public EngineConfig with(final ThreadConfig threads)
    {
        return with(world, channels, scaleOut, scaleUp, threads, payload);
    }

    /**
     * Returns a copy with other sizes.
     *
     * @param channelCount C, number of channels.
     * @param out   settings of the stage between nodes.
     * @param up    settings of the stage within a node.
     * @return copy.
     */
    public EngineConfig with(final int channelCount, final StageConfig out, final StageConfig up)
    {
        return with(world, channelCount, out, up, threading, payload);
    }

    /**
     * Returns a copy with more absent ranks. The present ranks keep their numbers, their experts and their nodes. After
     * a {@link GroupChangedException}, they open an engine of {@code config.without(exception.dead())} in the same
     * {@link TransportContext}.
     *
     * @param ranks ranks that take no part.
     * @return copy.
     */
    public EngineConfig without(final Collection<Integer> ranks)
    {
        return with(world.without(ranks), channels, scaleOut, scaleUp, threading, payload);
    }

    /**
     * Returns a copy with other present ranks, e.g. the {@link GroupChangedException#alive() ranks of a new view}. All
     * ranks keep their numbers, their experts and their nodes.
     *
     * @param ranks ranks that take part.
     * @return copy.
     */
    public EngineConfig only(final Collection<Integer> ranks)
    {
        return with(world.only(ranks), channels, scaleOut, scaleUp, threading, payload);
    }

    private EngineConfig with(
        final WorldConfig ranks, final int channelCount, final StageConfig out, final StageConfig up,
        final ThreadConfig threads, final PayloadConfig rows)
    {
        return new EngineConfig(
            ranks, sizes, channelCount, maxHidden, maxTopk, maxExperts, out, up, placement, combineWire,
            output, expertAlignment, threads, rows, callTimeout, openTimeout, livenessTimeout, onPeerFailure,
            transportOptions, kernelOptions);
    }

    /**
     * Returns the memory kind of token rows.
     *
     * @return memory kind. An automatic kind is final only when the engine is open.
     */
    public MemoryKind payloadKind()
    {
        return payload.kind();
    }

    /**
     * Returns the device of the token rows.
     *
     * @return ordinal of the device. An automatic ordinal is final only when the engine is open.
     */
    public int device()
    {
        return payload.device();
    }

    /**
     * Returns the number of the engine's threads.
     *
     * @return number of threads. 0 means that the caller drives the engine. Until the engine opens, a negative value
     *         stands for an automatic number; see {@link ThreadConfig}.
     */
    public int threads()
    {
        return threading.count();
    }

    /**
     * Returns the number of nodes.
     *
     * @return N.
     */
    public int nodes()
    {
        return world.nodes();
    }

    /**
     * Returns the number of ranks.
     *
     * @return P.
     */
    public int worldSize()
    {
        return world.size();
    }

    /**
     * Returns the options of a transport or of row kernels.
     *
     * @param section name of the transport, or of the configuration section of the row kernels.
     * @return options by key, empty if none are set.
     */
    public Map<String, String> optionsOf(final String section)
    {
        return KERNELS.equals(section) ? kernelOptions : transportOptions.getOrDefault(section, Map.of());
    }
}
