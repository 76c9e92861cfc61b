/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.cli.outcome.CommandException;
import dev.transload.engine.WorldConfig;
import dev.transload.reference.Routing;
import java.util.function.IntFunction;

/** Routes of a world's ranks, made rank by rank where they are random: worlds may be too large to hold them all. */
public final class RankRoutes
{
    /** Scores of random gating that are drawn within seconds. */
    private static final long AFFORDABLE_SCORES = 400_000_000;
    private static final int LEAST_RANKS = 8;

    private final IntFunction<Routing> ofRank;
    private final int affordable;
    private final int experts;
    private final int topk;
    private final int hidden;
    private final boolean isFp8;
    private final String origin;

    private RankRoutes(
        final IntFunction<Routing> ofRank, final int affordable, final int experts, final int topk, final int hidden,
        final boolean isFp8, final String origin)
    {
        this.ofRank = ofRank;
        this.affordable = affordable;
        this.experts = experts;
        this.topk = topk;
        this.hidden = hidden;
        this.isFp8 = isFp8;
        this.origin = origin;
    }

    /**
     * Of a trace, or of random gating.
     *
     * @param options choices.
     * @param world   ranks of the nodes.
     * @return routes.
     * @throws CommandException with exit code 2 for all that is wrong with them.
     */
    public static RankRoutes load(final InputOptions options, final WorldConfig world)
    {
        if (null == options.tokens() || null != options.trace())
        {
            final RunInput input = InputLoader.load(options, world);
            return new RankRoutes(input.world()::routing, world.size(), input.experts(), input.topk(), input.hidden(),
                input.isFp8(), input.origin());
        }

        // What does not depend on the number of ranks is checked and chosen as for a run.
        final RunInput one = InputLoader.load(options, WorldConfig.of(1, 1));
        final GatedRouting gating = new GatedRouting(world, one.experts(), one.topk());
        final long scores = Math.max(1, (long)options.tokens() * one.experts());
        final int affordable =
            (int)Math.min(world.size(), Math.max(LEAST_RANKS, AFFORDABLE_SCORES / scores));
        return new RankRoutes((rank) -> gating.route(options.seed(), rank, options.tokens()), affordable,
            one.experts(), one.topk(), one.hidden(), one.isFp8(), one.origin());
    }

    /**
     * Routes of a rank.
     *
     * @param rank in [0, P).
     * @return routes, the same each time.
     */
    public Routing of(final int rank)
    {
        return ofRank.apply(rank);
    }

    /** Ranks whose routes can be looked at within seconds. */
    public int affordable()
    {
        return affordable;
    }

    /** E before padding. */
    public int experts()
    {
        return experts;
    }

    /** K. */
    public int topk()
    {
        return topk;
    }

    /** Elements of a row. */
    public int hidden()
    {
        return hidden;
    }

    /** Whether rows are FP8 with scales, else BF16. */
    public boolean isFp8()
    {
        return isFp8;
    }

    /** For the report. */
    public String origin()
    {
        return origin;
    }
}
