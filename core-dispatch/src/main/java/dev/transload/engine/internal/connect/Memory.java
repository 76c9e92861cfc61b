/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import java.util.List;

/** An engine's arenas and signals: all memory that its peers write to, and what it sends from. */
public final class Memory
{
    private final EngineScope scope;
    private final Transports stages;
    private final List<Arena> arenas;
    private final SignalRegion[] signals = new SignalRegion[Stage.values().length];

    /**
     * Nothing is taken yet.
     *
     * @param scope  of the engine, which keeps the memory until peers are done with it.
     * @param arenas by id, equal on all ranks but for their sizes.
     */
    public Memory(final EngineScope scope, final Transports stages, final List<Arena> arenas)
    {
        this.scope = scope;
        this.stages = stages;
        this.arenas = arenas;
    }

    /**
     * Take it; after the ranks have agreed on the settings.
     *
     * @param device of arenas that are not in host memory.
     * @param counts of signals by stage, 0 for none; each has one writer.
     */
    public void allocate(final int device, final int... counts)
    {
        for (final Arena arena : arenas)
        {
            final Transport owner = stages.of(arena.owner());
            if (null != owner)
            {
                requireFitting(owner.capabilities(), arena);
                scope.keep(arena).allocate(stages, device);
            }
        }

        for (final Stage stage : Stage.values())
        {
            final Transport transport = stages.of(stage);
            final int count = counts[stage.ordinal()];
            if (null != transport && count > 0)
            {
                signals[stage.ordinal()] = scope.keep(transport.allocateSignals(count, 1));
            }
        }
    }

    public List<Arena> arenas()
    {
        return arenas;
    }

    /**
     * Own signals of a stage.
     *
     * @return signals, null where there are none.
     */
    public SignalRegion signals(final Stage stage)
    {
        return signals[stage.ordinal()];
    }

    private static void requireFitting(final Capabilities offered, final Arena arena)
    {
        if (arena.planned() > offered.maxRegionLength())
        {
            throw new ConfigurationException("transport " + offered.transport() + " cannot be used: it allocates at " +
                "most " + offered.maxRegionLength() + " bytes in one region, the engine needs " + arena.planned() +
                " of " + arena.kind() + " memory for its rings; a smaller transload." +
                (arena.kind().isHost() ? "" : "payload.") + "ring-memory, transload.max-hidden or " +
                "transload.channels needs less");
        }
    }
}
