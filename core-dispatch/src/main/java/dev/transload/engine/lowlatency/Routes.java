/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Near;
import dev.transload.engine.PayloadConfig;
import dev.transload.engine.StagingMode;
import dev.transload.engine.World;
import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.connect.Transports;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportUnavailableException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * By which stage each rank reaches each other one in one hop; ranks tell each other when they open. Threads move rows
 * from the payload's memory to the payload's. Devices also write them to host memory, which the scale-out transport
 * brings to host memory.
 */
final class Routes
{
    private static final Stage[] STAGES = Stage.values();
    private static final byte NONE = -1;

    private final World world;
    private final Transports stages;
    private final MemoryKind kind;
    private final StagingMode staging;
    private final Near near;
    /** By rank: stage to each rank, as threads do the steps, and behind that as devices do them. */
    private final List<byte[]> routes = new ArrayList<>();
    private String[] obstacles;
    private boolean isByDevice;

    /**
     * Nothing is exchanged yet.
     *
     * @throws ConfigurationException if rows are to be staged, and one transport carries them all.
     */
    Routes(final World world, final Transports stages, final PayloadConfig payload, final Near near)
    {
        this.world = world;
        this.stages = stages;
        this.kind = payload.kind();
        this.staging = payload.staging();
        this.near = near;
        if (StagingMode.ALWAYS == staging && stages.isStaged() && stages.isShared())
        {
            throw new ConfigurationException("transload.payload.staging = always is not allowed in low latency where " +
                "transport " + stages.of(Stage.SCALE_OUT).capabilities().transport() + " carries both stages: no " +
                "rank is reached by the other one then");
        }
    }

    /** From what all ranks' transports say of themselves. */
    void exchange(final EngineScope scope, final Map<Integer, List<ByteBuffer>> peerInfos, final Duration timeout)
    {
        final int ranks = world.size();
        final byte[] own = new byte[2 * ranks];
        obstacles = new String[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            own[rank] = stageTo(rank, peerInfos.get(rank), false);
            own[ranks + rank] = stageTo(rank, peerInfos.get(rank), true);
        }

        for (final ByteBuffer theirs : scope.allGather("routes", ByteBuffer.wrap(own), timeout))
        {
            final byte[] route = new byte[own.length];
            theirs.duplicate().get(route);
            routes.add(route);
        }
    }

    /** Scale-up where it reaches the rank, else scale-out; the other way round where the rank is to be far. */
    private byte stageTo(final int rank, final List<ByteBuffer> peerInfos, final boolean isOfDevice)
    {
        final StringBuilder reasons = new StringBuilder();
        for (final Stage stage : mayBeNear(rank) ?
            List.of(Stage.SCALE_UP, Stage.SCALE_OUT) : List.of(Stage.SCALE_OUT, Stage.SCALE_UP))
        {
            final Transport transport = stages.of(stage);
            if (null != transport)
            {
                final Reachability reach = transport.canReach(rank, peerInfos.get(stage.ordinal()));
                if (reach.reachable() && (stages.moves(stage, kind) || isOfDevice && isStaged(stage)))
                {
                    return (byte)stage.ordinal();
                }

                reasons.append(reasons.isEmpty() ? "" : "; ").append(transport.capabilities().transport()).append(": ")
                    .append(reach.reachable() ? whyNot(transport) : reach.reason());
            }
        }

        obstacles[rank] = reasons.toString();
        return NONE;
    }

    /** Whether the settings let a rank be near. */
    boolean mayBeNear(final int rank)
    {
        return Near.AUTO == near || Near.NODE == near && world.nodeOf(rank) == world.node();
    }

    private String whyNot(final Transport transport)
    {
        return transport.capabilities().kinds().contains(kind) ?
            "it is to move no " + kind + " memory (transload.payload.staging = always)" :
            "it does not move " + kind + " memory";
    }

    /** Whether devices write to host memory for a stage, which takes rows there and brings them there. */
    private boolean isStaged(final Stage stage)
    {
        return Stage.SCALE_OUT == stage && StagingMode.NEVER != staging && !stages.isShared() &&
            stages.moves(Stage.SCALE_UP, MemoryKind.HOST) && stages.moves(stage, MemoryKind.HOST);
    }

    /**
     * Who does the steps is agreed.
     *
     * @throws TransportUnavailableException where threads do them, and this rank does not reach another one.
     */
    void settle(final boolean ofDevice)
    {
        isByDevice = ofDevice;
        for (int rank = 0; rank < world.size(); rank++)
        {
            if (NONE == code(world.rank(), rank, ofDevice))
            {
                throw new TransportUnavailableException("rank " + world.rank() + " cannot reach rank " + rank +
                    " in one hop, which the low-latency mode needs (" + obstacles[rank] + ")", null);
            }
        }
    }

    private byte code(final int from, final int to, final boolean ofDevice)
    {
        return routes.get(from)[ofDevice ? world.size() + to : to];
    }

    /** What keeps devices from reaching another rank, null where nothing does. */
    String obstacleOfDevice(final int rank)
    {
        final byte there = code(world.rank(), rank, true);
        final byte back = code(rank, world.rank(), true);
        final Capabilities up = stages.of(Stage.SCALE_UP).capabilities();
        if (NONE == there || NONE == back)
        {
            return "rank " + rank + " is not reached by transport " + up.transport();
        }

        if (there != back)
        {
            return "rank " + rank + " is reached by another transport than it reaches this rank by";
        }

        if (Stage.SCALE_OUT == STAGES[there])
        {
            return isStaged(Stage.SCALE_OUT) ? null : StagingMode.NEVER == staging ?
                "transload.payload.staging = never: devices reach rank " + rank + " through host memory" :
                "transport " +
                stages.of(Stage.SCALE_OUT).capabilities().transport() + " does not move HOST memory";
        }

        return mayBeNear(rank) ? null : "transload.low-latency.near makes rank " + rank +
            " far, which is reached by transport " + up.transport();
    }

    /** Far ranks of this one, where devices do the steps. */
    int farOfDevice()
    {
        int count = 0;
        for (int rank = 0; rank < world.size(); rank++)
        {
            count += rank != world.rank() &&
                Stage.SCALE_OUT.ordinal() == code(world.rank(), rank, true) ? 1 : 0;
        }

        return count;
    }

    /** Stage by which a rank writes to another. */
    Stage stage(final int from, final int to)
    {
        return STAGES[code(from, to, isByDevice)];
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
}
