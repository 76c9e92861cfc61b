/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import com.typesafe.config.Config;
import dev.transload.kernels.ElementType;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import java.time.Duration;
import java.util.Map;

/**
 * Validated settings of an engine; every key is documented in this module's {@code reference.conf}.
 *
 * @param world            ranks of the nodes.
 * @param sizes            as configured, from which channels and the stages' sizes follow.
 * @param channels         C, channels of the pipeline; for rows in host memory until the engine opens.
 * @param maxHidden        widest row in elements.
 * @param maxTopk          largest K.
 * @param maxExperts       most experts, padding included.
 * @param scaleOut         settings of the stage between nodes, sizes as above.
 * @param scaleUp          settings of the stage within a node, sizes as above.
 * @param placement        which way rows take to and from the ranks of a node.
 * @param combineWire      BF16 or F32: type of partial sums between nodes.
 * @param output           order of delivered rows unless a request says otherwise.
 * @param expertAlignment  of counts unless a request says otherwise.
 * @param threading        threads of the engine.
 * @param payload          where token rows live.
 * @param callTimeout      deadline of a call unless a request says otherwise.
 * @param openTimeout      deadline of opening.
 * @param livenessTimeout  silence after which a peer counts as dead, at most a quarter of the call timeout.
 * @param transportOptions options by transport name.
 * @param kernelOptions    options of the row kernels of host memory.
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
    Map<String, Map<String, String>> transportOptions,
    Map<String, String> kernelOptions)
{
    private static final String KERNELS = "kernels";

    /**
     * Settings by method calls, with the defaults of {@code reference.conf}.
     *
     * @return builder.
     */
    public static EngineConfigBuilder builder()
    {
        return new EngineConfigBuilder();
    }

    /**
     * Read and validate a configuration, tuning what is {@code auto} for the world, the model and host memory.
     *
     * @param root resolved configuration that holds a {@code transload} section over this module's
     *             {@code reference.conf}.
     * @return settings.
     * @throws dev.transload.spi.ConfigurationException naming the key, the value and what is allowed.
     */
    public static EngineConfig from(final Config root)
    {
        return EngineProvider.find().read(root);
    }

    /**
     * With both transports settled: of several that a stage names, the first that is available here. A world of one
     * node has no stage between nodes: its transport is not asked, and {@link StageConfig#AUTO} is the other stage's.
     *
     * @param registry of transports found.
     * @return copy where each stage names one transport, and those passed over with their reasons.
     * @throws dev.transload.spi.ConfigurationException        if {@link StageConfig#AUTO} finds none, or several to
     *                                                         choose from, or a name of several is unknown.
     * @throws dev.transload.spi.TransportUnavailableException if none of several is available, with all reasons.
     */
    public EngineConfig resolve(final TransportRegistry registry)
    {
        final StageConfig up = scaleUp.resolve("scale-up", registry, this::optionsOf);
        return with(channels, nodes() > 1 ? scaleOut.resolve("scale-out", registry, this::optionsOf) :
            scaleOut.resolveUnused(registry, up.transport()), up);
    }

    /**
     * For a program that drives the engine whenever it waits, by {@link Completion#await()} or {@link Engine#drive}:
     * where ranks outnumber cores, rows are in host memory, and neither the number of threads nor their cores are
     * configured, the engine then has no threads of its own. They would take turns with the program's.
     *
     * @return copy, the same where the number of threads is configured.
     */
    public EngineConfig callerMayDrive()
    {
        return ThreadConfig.AUTO != threading.count() ? this : with(new ThreadConfig(
            ThreadConfig.AUTO_OR_CALLER, threading.idle(), threading.cores(), threading.roles()));
    }

    /**
     * With rows in given memory.
     *
     * @param rows where they live.
     * @return copy.
     */
    public EngineConfig with(final PayloadConfig rows)
    {
        return with(channels, scaleOut, scaleUp, threading, rows);
    }

    /**
     * With given threads.
     *
     * @param threads of the engine.
     * @return copy.
     */
    public EngineConfig with(final ThreadConfig threads)
    {
        return with(channels, scaleOut, scaleUp, threads, payload);
    }

    /**
     * With given sizes.
     *
     * @param channelCount C.
     * @param out   settings of the stage between nodes.
     * @param up    settings of the stage within a node.
     * @return copy.
     */
    public EngineConfig with(final int channelCount, final StageConfig out, final StageConfig up)
    {
        return with(channelCount, out, up, threading, payload);
    }

    private EngineConfig with(
        final int channelCount, final StageConfig out, final StageConfig up, final ThreadConfig threads,
        final PayloadConfig rows)
    {
        return new EngineConfig(
            world, sizes, channelCount, maxHidden, maxTopk, maxExperts, out, up, placement, combineWire,
            output, expertAlignment, threads, rows, callTimeout, openTimeout, livenessTimeout, transportOptions,
            kernelOptions);
    }

    /**
     * Memory kind of token rows.
     *
     * @return kind, settled when the engine opens.
     */
    public MemoryKind payloadKind()
    {
        return payload.kind();
    }

    /**
     * Device of the token rows.
     *
     * @return ordinal, settled when the engine opens.
     */
    public int device()
    {
        return payload.device();
    }

    /**
     * Number of the engine's threads.
     *
     * @return count; 0 has the caller drive it; negative until the engine opens, see {@link ThreadConfig}.
     */
    public int threads()
    {
        return threading.count();
    }

    /**
     * Number of nodes.
     *
     * @return N.
     */
    public int nodes()
    {
        return world.nodes();
    }

    /**
     * Number of ranks.
     *
     * @return P.
     */
    public int worldSize()
    {
        return world.size();
    }

    /**
     * Options of a transport, or of row kernels.
     *
     * @param section name of the transport, or of the section that row kernels have.
     * @return options by key, empty if none are set.
     */
    public Map<String, String> optionsOf(final String section)
    {
        return KERNELS.equals(section) ? kernelOptions : transportOptions.getOrDefault(section, Map.of());
    }
}
