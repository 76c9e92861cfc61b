/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.connect.EngineScope;
import dev.transload.engine.connect.Packing;
import dev.transload.engine.connect.Transports;
import dev.transload.engine.world.Stage;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.Reachability;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What ranks tell each other when they open: settings, which must agree; by which stage each reaches each; then where
 * workers, signals and memory are.
 */
final class LowLatencyDirectory
{
    private static final Stage[] STAGES = Stage.values();

    private final LowLatencyConfig config;
    private final World world;
    private final EngineScope scope;
    private final Transports stages;
    private final List<byte[]> routes = new ArrayList<>();
    private final List<Published> published = new ArrayList<>();

    private record Published(
        List<ByteBuffer> workers, List<ByteBuffer> payload, List<ByteBuffer> messages, List<ByteBuffer> signals)
    {
    }

    LowLatencyDirectory(
        final LowLatencyConfig config, final World world, final EngineScope scope, final Transports stages)
    {
        this.config = config;
        this.world = world;
        this.scope = scope;
        this.stages = stages;
    }

    /** First rounds: settings and the table of stages. */
    void agree()
    {
        final String own = settings();
        final Packing mine = new Packing();
        mine.put(own.getBytes(StandardCharsets.UTF_8));
        for (final Stage stage : STAGES)
        {
            final Transport transport = stages.of(stage);
            mine.put(null == transport ? ByteBuffer.allocate(0) : transport.peerInfo());
        }

        final byte[] table = new byte[world.size()];
        final List<ByteBuffer> all = gather("settings", mine.toBuffer());
        for (int rank = 0; rank < all.size(); rank++)
        {
            final Packing theirs = new Packing(all.get(rank));
            final String their = StandardCharsets.UTF_8.decode(theirs.get()).toString();
            if (!own.equals(their))
            {
                throw new ConfigurationException("rank " + world.rank() + " opens the low-latency mode with " + own +
                    ", rank " + rank + " with " + their + ": must be equal on all ranks" +
                    scope.order());
            }

            table[rank] = (byte)stageTo(rank, theirs).ordinal();
        }

        for (final ByteBuffer theirs : gather("routes", ByteBuffer.wrap(table)))
        {
            final byte[] route = new byte[world.size()];
            theirs.duplicate().get(route);
            routes.add(route);
        }
    }

    private String settings()
    {
        final EngineConfig common = config.common();
        return "transload.nodes = " + common.nodes() + ", ranks-per-node = " + common.world().ranksPerNode() +
            ", low-latency.max-tokens = " + config.maxTokens() + ", low-latency.channels = " + config.channels() +
            ", max-hidden = " + common.maxHidden() + ", max-topk = " + common.maxTopk() + ", max-experts = " +
            common.maxExperts() + ", payload.kind = " + common.payloadKind() + ", scale-out.transport = " +
            common.scaleOut().transport() + ", scale-up.transport = " + common.scaleUp().transport();
    }

    /** Scale-up where it reaches the rank, else scale-out. */
    private Stage stageTo(final int rank, final Packing peerInfos)
    {
        final StringBuilder reasons = new StringBuilder();
        final ByteBuffer[] infos = new ByteBuffer[STAGES.length];
        for (final Stage stage : STAGES)
        {
            infos[stage.ordinal()] = peerInfos.get();
        }

        for (final Stage stage : List.of(Stage.SCALE_UP, Stage.SCALE_OUT))
        {
            final Transport transport = stages.of(stage);
            if (null != transport)
            {
                final Reachability reach = transport.canReach(rank, infos[stage.ordinal()]);
                if (reach.reachable() && transport.capabilities().kinds().contains(config.common().payloadKind()))
                {
                    return stage;
                }

                reasons.append(reasons.isEmpty() ? "" : "; ").append(transport.capabilities().transport()).append(": ")
                    .append(reach.reachable() ? "it does not move " + config.common().payloadKind() + " memory" :
                        reach.reason());
            }
        }

        throw new TransportUnavailableException("rank " + world.rank() + " cannot reach rank " + rank +
            " in one hop, which the low-latency mode needs (" + reasons + ")", null);
    }

    /** Stage by which a rank writes to another. */
    Stage stage(final int from, final int to)
    {
        return STAGES[routes.get(from)[to]];
    }

    /** Number of a rank among those that write to a rank by the same stage. */
    int writer(final int from, final int to)
    {
        int index = 0;
        for (int rank = 0; rank < from; rank++)
        {
            index += rank != to && stage(rank, to) == stage(from, to) ? 1 : 0;
        }

        return index;
    }

    /** Ranks that write to a rank by a stage. */
    int writers(final Stage stage, final int to)
    {
        int count = 0;
        for (int rank = 0; rank < world.size(); rank++)
        {
            count += rank != to && stage(rank, to) == stage ? 1 : 0;
        }

        return count;
    }

    /** Last round. */
    void exchange(final LowLatencyMemory memory, final Worker[] workers)
    {
        final Packing mine = new Packing();
        for (final Stage stage : STAGES)
        {
            final boolean isUsed = null != memory.signals(stage);
            final Worker worker = workers[stage.ordinal()];
            mine.put(null == worker ? ByteBuffer.allocate(0) : worker.address());
            mine.put(isUsed ? memory.payload(stage).descriptor() : ByteBuffer.allocate(0));
            mine.put(isUsed ? memory.messages(stage).descriptor() : ByteBuffer.allocate(0));
            mine.put(isUsed ? memory.signals(stage).descriptor() : ByteBuffer.allocate(0));
        }

        for (final ByteBuffer bytes : gather("memory", mine.toBuffer()))
        {
            final Packing theirs = new Packing(bytes);
            final Published one =
                new Published(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int stage = 0; stage < STAGES.length; stage++)
            {
                one.workers().add(theirs.get());
                one.payload().add(theirs.get());
                one.messages().add(theirs.get());
                one.signals().add(theirs.get());
            }

            published.add(one);
        }
    }

    private List<ByteBuffer> gather(final String topic, final ByteBuffer mine)
    {
        final Duration timeout = config.common().openTimeout();
        return scope.allGather(topic, mine, timeout);
    }

    long incarnation(final int rank)
    {
        return scope.world().member(rank).incarnation();
    }

    ByteBuffer worker(final int rank, final Stage stage)
    {
        return published.get(rank).workers().get(stage.ordinal());
    }

    ByteBuffer payload(final int rank, final Stage stage)
    {
        return published.get(rank).payload().get(stage.ordinal());
    }

    ByteBuffer messages(final int rank, final Stage stage)
    {
        return published.get(rank).messages().get(stage.ordinal());
    }

    ByteBuffer signals(final int rank, final Stage stage)
    {
        return published.get(rank).signals().get(stage.ordinal());
    }
}
