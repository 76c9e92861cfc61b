/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.internal.world.Geometry;

/** Memory that the rings of a rank take, from the sizes that the engine itself uses. */
public final class SizeHint
{
    private SizeHint()
    {
    }

    /** Bytes of all rings that peers write to. */
    public static long ringBytes(final EngineConfig config)
    {
        final Geometry geometry = new Geometry(new World(config.world(), 0), config);
        final long channels = geometry.channels();
        final long streams = geometry.streams();
        final long others = 1 == geometry.nodes() ? 0 : Math.max(streams, geometry.nodes()) - 1;
        final long up = channels * geometry.mostLocals();
        return channels * geometry.outRing() *
            others * (geometry.payloadStride() + geometry.partialStride()) +
            2 * up * streams * geometry.subRing() * geometry.payloadStride();
    }
}
