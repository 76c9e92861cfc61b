/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

import dev.transload.reference.Routing;

/**
 * Experts chosen by the tokens of a rank.
 *
 * @param topkIds     [T][K] expert, or −1.
 * @param topkWeights [T][K] weight of each choice.
 */
public record RankRoutes(long[][] topkIds, float[][] topkWeights)
{
    /**
     * Converts a routing of the reference to the format of recordings.
     *
     * @param routing routing of a rank.
     * @return converted routes.
     */
    public static RankRoutes of(final Routing routing)
    {
        final long[][] ids = new long[routing.tokens()][routing.topk()];
        final float[][] weights = new float[routing.tokens()][routing.topk()];
        for (int token = 0; token < ids.length; token++)
        {
            System.arraycopy(routing.idx(), token * routing.topk(), ids[token], 0, routing.topk());
            System.arraycopy(routing.weights(), token * routing.topk(), weights[token], 0, routing.topk());
        }

        return new RankRoutes(ids, weights);
    }

    /**
     * Converts the routes to a routing of the reference.
     *
     * @param topk number of choices per token K.
     * @return converted routing.
     */
    public Routing routing(final int topk)
    {
        final long[] ids = new long[topkIds.length * topk];
        final float[] weights = new float[ids.length];
        for (int token = 0; token < topkIds.length; token++)
        {
            System.arraycopy(topkIds[token], 0, ids, token * topk, topk);
            System.arraycopy(topkWeights[token], 0, weights, token * topk, topk);
        }

        return new Routing(topkIds.length, topk, ids, weights);
    }

    void check(final String where, final int topk, final int experts)
    {
        Checks.require(topkIds.length == topkWeights.length, where, "topk_weights has " + topkWeights.length +
            " tokens", "as many as topk_ids, " + topkIds.length);
        for (int token = 0; token < topkIds.length; token++)
        {
            final String at = where + ".topk_ids[" + token + "]";
            Checks.require(null != topkIds[token] && null != topkWeights[token] && topkIds[token].length == topk &&
                topkWeights[token].length == topk, at, "has another number of choices", "topk, " + topk + ", and as " +
                "many weights");
            for (int k = 0; k < topk; k++)
            {
                final long id = topkIds[token][k];
                Checks.require(id >= -1 && id < experts, at, "names expert " + id, "-1 to " + (experts - 1));
                for (int before = 0; before < k; before++)
                {
                    Checks.require(id < 0 || topkIds[token][before] != id, at, "names expert " + id + " twice",
                        "each of them once");
                }
            }
        }
    }
}
