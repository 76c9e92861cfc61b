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

    /** Bytes of the rings that ranks of other nodes write to. */
    public static long scaleOutRingBytes(final EngineConfig config)
    {
        final Geometry geometry = geometry(config);
        final long others = 1 == geometry.nodes() ? 0 : Math.max(geometry.streams(), geometry.nodes()) - 1;
        return (long)geometry.channels() * geometry.outRing() *
            others * (geometry.payloadStride() + geometry.partialStride());
    }

    /** Bytes of the rings that ranks of the same node write to. */
    public static long scaleUpRingBytes(final EngineConfig config)
    {
        final Geometry geometry = geometry(config);
        final long up = (long)geometry.channels() * geometry.mostLocals();
        return 2 * up * geometry.streams() * geometry.subRing() * geometry.payloadStride();
    }

    private static Geometry geometry(final EngineConfig config)
    {
        return new Geometry(new World(config.world(), config.world().present().get(0)), config);
    }
}
