/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.DispatchLayout;
import dev.transload.engine.internal.plan.SendLayout;
import dev.transload.engine.internal.world.Geometry;

/** Public view of computed layout. */
public final class Layouts
{
    private Layouts()
    {
    }

    /** Counts and membership. */
    public static DispatchLayout of(final SendLayout layout, final Geometry geometry)
    {
        final int channels = geometry.channels();
        final int[] perRank = new int[geometry.world().size()];
        final int[] perNode = new int[geometry.nodes()];
        final int[] perExpert = new int[layout.experts()];
        final boolean[][] inRank = new boolean[layout.tokens()][perRank.length];
        for (int rank = 0; rank < perRank.length; rank++)
        {
            perRank[rank] = layout.rankStart(channels, rank);
            for (int token = 0; token < inRank.length; token++)
            {
                inRank[token][rank] =
                    layout.isInRank(token, geometry.world().nodeOf(rank), geometry.world().localOf(rank));
            }
        }

        for (int node = 0; node < perNode.length; node++)
        {
            perNode[node] = layout.nodeStart(channels, node);
        }

        for (int expert = 0; expert < perExpert.length; expert++)
        {
            perExpert[expert] = layout.expertStart(channels, expert);
        }

        return new DispatchLayout(perRank, perNode, perExpert, inRank);
    }
}
