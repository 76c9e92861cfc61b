/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.World;
import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.connect.Transports;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportUnavailableException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** By which stage each rank reaches each other one in one hop; ranks tell each other when they open. */
final class Routes
{
    private static final Stage[] STAGES = Stage.values();

    private final World world;
    private final Transports stages;
    private final MemoryKind kind;
    private final List<byte[]> routes = new ArrayList<>();

    Routes(final World world, final Transports stages, final MemoryKind kind)
    {
        this.world = world;
        this.stages = stages;
        this.kind = kind;
    }

    /** From what all ranks' transports say of themselves. */
    void exchange(final EngineScope scope, final List<List<ByteBuffer>> peerInfos, final Duration timeout)
    {
        final byte[] own = new byte[world.size()];
        for (int rank = 0; rank < own.length; rank++)
        {
            own[rank] = (byte)stageTo(rank, peerInfos.get(rank)).ordinal();
        }

        for (final ByteBuffer theirs : scope.allGather("routes", ByteBuffer.wrap(own), timeout))
        {
            final byte[] route = new byte[world.size()];
            theirs.duplicate().get(route);
            routes.add(route);
        }
    }

    /** Scale-up where it reaches the rank, else scale-out. */
    private Stage stageTo(final int rank, final List<ByteBuffer> peerInfos)
    {
        final StringBuilder reasons = new StringBuilder();
        for (final Stage stage : List.of(Stage.SCALE_UP, Stage.SCALE_OUT))
        {
            final Transport transport = stages.of(stage);
            if (null != transport)
            {
                final Reachability reach = transport.canReach(rank, peerInfos.get(stage.ordinal()));
                if (reach.reachable() && transport.capabilities().kinds().contains(kind))
                {
                    return stage;
                }

                reasons.append(reasons.isEmpty() ? "" : "; ").append(transport.capabilities().transport()).append(": ")
                    .append(reach.reachable() ? "it does not move " + kind + " memory" : reach.reason());
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
}
