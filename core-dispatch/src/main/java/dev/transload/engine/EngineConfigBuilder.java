/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import com.typesafe.config.ConfigFactory;
import dev.transload.kernels.ElementType;
import dev.transload.spi.MemoryKind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Builds an {@link EngineConfig} by method calls. A value that is not set has the default of {@code reference.conf}.
 * Each value is checked in the same way as the configuration key of the same name.
 */
public final class EngineConfigBuilder
{
    private static final String ROOT = "transload.";
    private static final String SCALE_OUT = "scale-out.";
    private static final String SCALE_UP = "scale-up.";

    private final Map<String, Object> keys = new HashMap<>();

    EngineConfigBuilder()
    {
    }

    private EngineConfigBuilder set(final String key, final Object value)
    {
        keys.put(ROOT + key, value);
        return this;
    }

    private EngineConfigBuilder set(final String key, final Enum<?> value)
    {
        return set(key, value.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    private EngineConfigBuilder set(final String key, final Duration value)
    {
        return set(key, value.toNanos() + " ns");
    }

    /**
     * Sets the number of nodes of the world.
     *
     * @param count N, number of nodes.
     * @return this.
     */
    public EngineConfigBuilder nodes(final int count)
    {
        return set("nodes", count);
    }

    /**
     * Sets the number of ranks of each node.
     *
     * @param ranks one number G for all nodes, or one number for each node. In the second case the number of nodes need
     *              not be set.
     * @return this.
     */
    public EngineConfigBuilder ranksPerNode(final int... ranks)
    {
        return set("ranks-per-node", 1 == ranks.length ? ranks[0] : list(ranks));
    }

    /**
     * Sets the number of channels of the pipeline.
     *
     * @param count C, number of channels.
     * @return this.
     */
    public EngineConfigBuilder channels(final int count)
    {
        return set("channels", count);
    }

    /**
     * Sets the largest row length.
     *
     * @param elements number of elements of a row.
     * @return this.
     */
    public EngineConfigBuilder maxHidden(final int elements)
    {
        return set("max-hidden", elements);
    }

    /**
     * Sets the largest number of experts that a token selects.
     *
     * @param choices largest number of experts of a token.
     * @return this.
     */
    public EngineConfigBuilder maxTopk(final int choices)
    {
        return set("max-topk", choices);
    }

    /**
     * Sets the largest number of experts of a model.
     *
     * @param experts number of experts, without padding.
     * @return this.
     */
    public EngineConfigBuilder maxExperts(final int experts)
    {
        return set("max-experts", experts);
    }

    /**
     * Sets the largest amount of host memory that the rings of one rank may take.
     *
     * @param bytes number of bytes.
     * @return this.
     */
    public EngineConfigBuilder ringMemory(final long bytes)
    {
        return set("ring-memory", bytes + " B");
    }

    /**
     * Sets the largest amount of memory for those tables of a handle that row kernels read.
     *
     * @param bytes number of bytes. If the tables need more memory, each call writes them again, part by part.
     * @return this.
     */
    public EngineConfigBuilder tableMemory(final long bytes)
    {
        return set("table-memory", bytes + " B");
    }

    /**
     * Sets the largest amount of device memory that the rings of one rank may take.
     *
     * @param bytes number of bytes.
     * @return this.
     */
    public EngineConfigBuilder deviceRingMemory(final long bytes)
    {
        return set("payload.ring-memory", bytes + " B");
    }

    /**
     * Sets the transport between nodes.
     *
     * @param transports name of the transport, or several names in order of preference. The engine uses the first
     *                   transport that is available.
     * @return this.
     */
    public EngineConfigBuilder scaleOut(final String... transports)
    {
        return set(SCALE_OUT + "transport", List.of(transports));
    }

    /**
     * Sets the sizes of the stage between nodes.
     *
     * @param chunk       largest number of rows that are sent together.
     * @param ring        number of slots of a ring.
     * @param creditBatch number of rows after which a consumer reports its progress.
     * @return this.
     */
    public EngineConfigBuilder scaleOutSizes(final int chunk, final int ring, final int creditBatch)
    {
        return sizes(SCALE_OUT, chunk, ring, creditBatch);
    }

    /**
     * Sets how consumers of the stage between nodes report their progress.
     *
     * @param credit whether consumers push their progress to producers, or producers read it.
     * @return this.
     */
    public EngineConfigBuilder scaleOutCredit(final CreditMode credit)
    {
        return set(SCALE_OUT + "credit", credit);
    }

    /**
     * Sets the transport within a node.
     *
     * @param transports name of the transport, or several names in order of preference. The engine uses the first
     *                   transport that is available.
     * @return this.
     */
    public EngineConfigBuilder scaleUp(final String... transports)
    {
        return set(SCALE_UP + "transport", List.of(transports));
    }

    /**
     * Sets the sizes of the stage within a node.
     *
     * @param chunk       largest number of rows that are sent together.
     * @param ring        number of slots of a ring.
     * @param creditBatch number of rows after which a consumer reports its progress.
     * @return this.
     */
    public EngineConfigBuilder scaleUpSizes(final int chunk, final int ring, final int creditBatch)
    {
        return sizes(SCALE_UP, chunk, ring, creditBatch);
    }

    /**
     * Sets how consumers of the stage within a node report their progress.
     *
     * @param credit whether consumers push their progress to producers, or producers read it.
     * @return this.
     */
    public EngineConfigBuilder scaleUpCredit(final CreditMode credit)
    {
        return set(SCALE_UP + "credit", credit);
    }

    private EngineConfigBuilder sizes(final String stage, final int chunk, final int ring, final int creditBatch)
    {
        return set(stage + "chunk", chunk).set(stage + "ring", ring).set(stage + "credit-batch", creditBatch);
    }

    /**
     * Sets how rows are moved between ranks of one node.
     *
     * @param way {@link Placement#DIRECT} to use rings only where needed, or {@link Placement#RING} to use them for all
     *            rows.
     * @return this.
     */
    public EngineConfigBuilder placement(final Placement way)
    {
        return set("placement", way);
    }

    /**
     * Sets the element type of partial sums that are sent between nodes.
     *
     * @param type BF16 or F32.
     * @return this.
     */
    public EngineConfigBuilder combineWire(final ElementType type)
    {
        return set("combine.wire", type);
    }

    /**
     * Sets the order of delivered rows for requests that set no order.
     *
     * @param order order of the rows.
     * @return this.
     */
    public EngineConfigBuilder output(final OutputLayout order)
    {
        return set("dispatch.output", order);
    }

    /**
     * Sets the alignment of the number of rows of an expert, for requests that set no alignment.
     *
     * @param rows alignment in rows. The number of rows of each expert is rounded up to a multiple of the alignment.
     * @return this.
     */
    public EngineConfigBuilder expertAlignment(final int rows)
    {
        return set("dispatch.expert-alignment", rows);
    }

    /**
     * Sets the memory kind of the token rows.
     *
     * @param kind kind of memory.
     * @return this.
     */
    public EngineConfigBuilder payload(final MemoryKind kind)
    {
        return set("payload.kind", kind.name());
    }

    /**
     * Sets the device of the token rows.
     *
     * @param ordinal ordinal of the device.
     * @return this.
     */
    public EngineConfigBuilder device(final int ordinal)
    {
        return set("payload.device", ordinal);
    }

    /**
     * Sets whether rows in device memory are copied through host memory between nodes.
     *
     * @param mode staging mode.
     * @return this.
     */
    public EngineConfigBuilder staging(final StagingMode mode)
    {
        return set("payload.staging", mode);
    }

    /**
     * Sets the number of the engine's threads.
     *
     * @param count number of threads; 0 means that the program drives the engine.
     * @return this.
     */
    public EngineConfigBuilder threads(final int count)
    {
        return set("threads.count", count);
    }

    /**
     * Sets the number of threads of each kind of role.
     *
     * @param counts five numbers, in this order: sender, sender coordinator, forwarder, forwarder coordinator,
     *               receiver.
     * @return this.
     */
    public EngineConfigBuilder threadsOfRoles(final int... counts)
    {
        return set("threads.roles", list(counts));
    }

    /**
     * Sets how the engine's threads idle.
     *
     * @param mode idle mode of the threads.
     * @return this.
     */
    public EngineConfigBuilder idle(final IdleMode mode)
    {
        return set("threads.idle", mode);
    }

    /**
     * Sets the cores that the engine's threads are bound to.
     *
     * @param entries numbers and ranges of cores, one entry for each thread, e.g. {@code "0-3"}.
     * @return this.
     */
    public EngineConfigBuilder cores(final String... entries)
    {
        return set("threads.cores", List.of(entries));
    }

    /**
     * Sets the deadline of calls whose request sets no deadline.
     *
     * @param duration length of time, must be positive.
     * @return this.
     */
    public EngineConfigBuilder callTimeout(final Duration duration)
    {
        return set("timeouts.call", duration);
    }

    /**
     * Sets the deadline for opening an engine.
     *
     * @param duration length of time, must be positive.
     * @return this.
     */
    public EngineConfigBuilder openTimeout(final Duration duration)
    {
        return set("timeouts.open", duration);
    }

    /**
     * Sets what the engine does when a rank is lost.
     *
     * @param policy {@link OnPeerFailure#FAIL} to fail the call, or {@link OnPeerFailure#MASK} to go on without the
     *               rank.
     * @return this.
     */
    public EngineConfigBuilder onPeerFailure(final OnPeerFailure policy)
    {
        return set("on-peer-failure", policy);
    }

    /**
     * Sets the time without a message after which a peer counts as dead.
     *
     * @param duration length of time, at most a quarter of the call timeout.
     * @return this.
     */
    public EngineConfigBuilder livenessTimeout(final Duration duration)
    {
        return set("timeouts.liveness", duration);
    }

    /**
     * Sets an option of a transport, or of the row kernels of host memory.
     *
     * @param section name of the transport, or {@code kernels}.
     * @param key     key of the option.
     * @param value   value of the option.
     * @return this.
     */
    public EngineConfigBuilder option(final String section, final String key, final String value)
    {
        return set(section + "." + key, value);
    }

    private static List<Integer> list(final int... numbers)
    {
        return IntStream.of(numbers).boxed().toList();
    }

    /**
     * Checks all values, and chooses those that were not set.
     *
     * @return settings.
     * @throws dev.transload.spi.ConfigurationException if a value is not allowed; the message names the key, the value
     *                                                  and the allowed values.
     */
    public EngineConfig build()
    {
        return EngineConfig.from(ConfigFactory.parseMap(keys));
    }
}
