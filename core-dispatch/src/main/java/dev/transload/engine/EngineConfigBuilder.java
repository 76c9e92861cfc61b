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
 * Builds an {@link EngineConfig} by method calls. What is not set has the default of {@code reference.conf}; what is
 * set is checked, and refused, as the key of the same name is.
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
     * Nodes of the world.
     *
     * @param count N.
     * @return this.
     */
    public EngineConfigBuilder nodes(final int count)
    {
        return set("nodes", count);
    }

    /**
     * Ranks of each node.
     *
     * @param ranks G of all nodes; or one for each node, and then their number need not be set.
     * @return this.
     */
    public EngineConfigBuilder ranksPerNode(final int... ranks)
    {
        return set("ranks-per-node", 1 == ranks.length ? ranks[0] : list(ranks));
    }

    /**
     * Channels of the pipeline.
     *
     * @param count C.
     * @return this.
     */
    public EngineConfigBuilder channels(final int count)
    {
        return set("channels", count);
    }

    /**
     * Widest row.
     *
     * @param elements of it.
     * @return this.
     */
    public EngineConfigBuilder maxHidden(final int elements)
    {
        return set("max-hidden", elements);
    }

    /**
     * Most choices of a token.
     *
     * @param choices largest K.
     * @return this.
     */
    public EngineConfigBuilder maxTopk(final int choices)
    {
        return set("max-topk", choices);
    }

    /**
     * Most experts of a model.
     *
     * @param experts before padding.
     * @return this.
     */
    public EngineConfigBuilder maxExperts(final int experts)
    {
        return set("max-experts", experts);
    }

    /**
     * Host memory of all rings of a rank.
     *
     * @param bytes at most.
     * @return this.
     */
    public EngineConfigBuilder ringMemory(final long bytes)
    {
        return set("ring-memory", bytes + " B");
    }

    /**
     * Memory that row kernels read the tables of a handle in.
     *
     * @param bytes at most; longer tables are written part by part, again in each call.
     * @return this.
     */
    public EngineConfigBuilder tableMemory(final long bytes)
    {
        return set("table-memory", bytes + " B");
    }

    /**
     * Device memory of all rings of a rank.
     *
     * @param bytes at most.
     * @return this.
     */
    public EngineConfigBuilder deviceRingMemory(final long bytes)
    {
        return set("payload.ring-memory", bytes + " B");
    }

    /**
     * Transport between nodes.
     *
     * @param transports its name; of several, by preference, the first that is available is taken.
     * @return this.
     */
    public EngineConfigBuilder scaleOut(final String... transports)
    {
        return set(SCALE_OUT + "transport", List.of(transports));
    }

    /**
     * Sizes of the stage between nodes.
     *
     * @param chunk       most rows of one operation.
     * @param ring        slots of a ring.
     * @param creditBatch rows after which progress is reported.
     * @return this.
     */
    public EngineConfigBuilder scaleOutSizes(final int chunk, final int ring, final int creditBatch)
    {
        return sizes(SCALE_OUT, chunk, ring, creditBatch);
    }

    /**
     * How the stage between nodes reports progress.
     *
     * @param credit whether consumers push it, or producers load it.
     * @return this.
     */
    public EngineConfigBuilder scaleOutCredit(final CreditMode credit)
    {
        return set(SCALE_OUT + "credit", credit);
    }

    /**
     * Transport within a node.
     *
     * @param transports its name; of several, by preference, the first that is available is taken.
     * @return this.
     */
    public EngineConfigBuilder scaleUp(final String... transports)
    {
        return set(SCALE_UP + "transport", List.of(transports));
    }

    /**
     * Sizes of the stage within a node.
     *
     * @param chunk       most rows of one operation.
     * @param ring        slots of a ring.
     * @param creditBatch rows after which progress is reported.
     * @return this.
     */
    public EngineConfigBuilder scaleUpSizes(final int chunk, final int ring, final int creditBatch)
    {
        return sizes(SCALE_UP, chunk, ring, creditBatch);
    }

    /**
     * How the stage within a node reports progress.
     *
     * @param credit whether consumers push it, or producers load it.
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
     * Which way rows take to and from the ranks of a node.
     *
     * @param way of rows.
     * @return this.
     */
    public EngineConfigBuilder placement(final Placement way)
    {
        return set("placement", way);
    }

    /**
     * Type of partial sums between nodes.
     *
     * @param type BF16 or F32.
     * @return this.
     */
    public EngineConfigBuilder combineWire(final ElementType type)
    {
        return set("combine.wire", type);
    }

    /**
     * Order of delivered rows unless a request says otherwise.
     *
     * @param order of rows.
     * @return this.
     */
    public EngineConfigBuilder output(final OutputLayout order)
    {
        return set("dispatch.output", order);
    }

    /**
     * Alignment of counts unless a request says otherwise.
     *
     * @param rows to which those of an expert are rounded up.
     * @return this.
     */
    public EngineConfigBuilder expertAlignment(final int rows)
    {
        return set("dispatch.expert-alignment", rows);
    }

    /**
     * Where token rows live.
     *
     * @param kind of memory.
     * @return this.
     */
    public EngineConfigBuilder payload(final MemoryKind kind)
    {
        return set("payload.kind", kind.name());
    }

    /**
     * The device on which they live.
     *
     * @param ordinal of it.
     * @return this.
     */
    public EngineConfigBuilder device(final int ordinal)
    {
        return set("payload.device", ordinal);
    }

    /**
     * Whether rows in device memory pass through host memory between nodes.
     *
     * @param mode of staging.
     * @return this.
     */
    public EngineConfigBuilder staging(final StagingMode mode)
    {
        return set("payload.staging", mode);
    }

    /**
     * Threads of the engine.
     *
     * @param count of them; 0 has the program drive it.
     * @return this.
     */
    public EngineConfigBuilder threads(final int count)
    {
        return set("threads.count", count);
    }

    /**
     * Threads of each kind of role.
     *
     * @param counts five numbers, in the order of {@link ThreadConfig#KINDS_OF_ROLES}.
     * @return this.
     */
    public EngineConfigBuilder threadsOfRoles(final int... counts)
    {
        return set("threads.roles", list(counts));
    }

    /**
     * What threads do without work.
     *
     * @param mode of them.
     * @return this.
     */
    public EngineConfigBuilder idle(final IdleMode mode)
    {
        return set("threads.idle", mode);
    }

    /**
     * Cores that the threads are tied to.
     *
     * @param entries cores and ranges, one entry a thread, e.g. {@code "0-3"}.
     * @return this.
     */
    public EngineConfigBuilder cores(final String... entries)
    {
        return set("threads.cores", List.of(entries));
    }

    /**
     * Deadline of a call unless a request says otherwise.
     *
     * @param duration positive.
     * @return this.
     */
    public EngineConfigBuilder callTimeout(final Duration duration)
    {
        return set("timeouts.call", duration);
    }

    /**
     * Deadline of opening.
     *
     * @param duration positive.
     * @return this.
     */
    public EngineConfigBuilder openTimeout(final Duration duration)
    {
        return set("timeouts.open", duration);
    }

    /**
     * Silence after which a peer counts as dead.
     *
     * @param duration at most a quarter of a call's deadline.
     * @return this.
     */
    public EngineConfigBuilder livenessTimeout(final Duration duration)
    {
        return set("timeouts.liveness", duration);
    }

    /**
     * An option of a transport, or of the row kernels of host memory.
     *
     * @param section name of the transport, or {@code kernels}.
     * @param key     of the option.
     * @param value   of it.
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
     * Check all that was set, and tune what was not.
     *
     * @return settings.
     * @throws dev.transload.spi.ConfigurationException naming the key, the value and what is allowed.
     */
    public EngineConfig build()
    {
        return EngineConfig.from(ConfigFactory.parseMap(keys));
    }
}
