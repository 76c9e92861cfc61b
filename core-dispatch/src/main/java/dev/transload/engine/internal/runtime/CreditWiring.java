/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CreditMode;
import dev.transload.engine.StageConfig;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.Memory;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.ring.Credit;
import dev.transload.engine.internal.ring.CreditReturn;
import dev.transload.engine.internal.ring.PullableReturn;
import dev.transload.engine.internal.ring.PulledCredit;
import dev.transload.engine.internal.ring.PushedCredit;
import dev.transload.engine.internal.ring.PushingReturn;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;

/**
 * Both ends of credit, pushed or pulled as each stage is configured. A head has one index at the producer, where it is
 * pushed to, and one at the consumer, where it is pulled from; both are places in the signal map.
 */
public final class CreditWiring
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final Memory memory;

    public CreditWiring(final Geometry geometry, final ArenaMap map, final Memory memory)
    {
        this.geometry = geometry;
        this.map = map;
        this.memory = memory;
    }

    /**
     * A producer's view.
     *
     * @param ownIndex    where the head is pushed to, here.
     * @param remoteIndex where the head is pulled from, there.
     */
    Credit credit(final Connection connection, final int ownIndex, final int remoteIndex)
    {
        if (CreditMode.PUSH == stage(connection).credit())
        {
            return new PushedCredit(memory.signals(connection.stage()), ownIndex);
        }

        final int outCount = SignalMap.outCount(geometry);
        final int target = Stage.SCALE_OUT == connection.stage() ? ownIndex : outCount + ownIndex;
        return new PulledCredit(connection, heads(connection), remoteIndex, map.loadedHeads,
            target);
    }

    /**
     * A consumer's way to report.
     *
     * @param remoteIndex where the head is pushed to, there.
     * @param ownIndex    where the head is pulled from, here.
     */
    CreditReturn giveBack(final Connection connection, final int remoteIndex, final int ownIndex)
    {
        final StageConfig stage = stage(connection);
        return CreditMode.PUSH == stage.credit() ?
            new PushingReturn(connection, remoteIndex, stage.creditBatch()) :
            new PullableReturn(heads(connection), ownIndex, stage.creditBatch());
    }

    private Section heads(final Connection connection)
    {
        return Stage.SCALE_OUT == connection.stage() ? map.headsOut : map.headsUp;
    }

    private StageConfig stage(final Connection connection)
    {
        return Stage.SCALE_OUT == connection.stage() ? geometry.config().scaleOut() : geometry.config().scaleUp();
    }
}
