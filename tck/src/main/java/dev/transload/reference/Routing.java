/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

/**
 * Experts chosen by the tokens of one rank.
 *
 * @param tokens  T, number of tokens.
 * @param topk    K, number of choices per token.
 * @param idx     [T·K] expert of each choice, −1 for none.
 * @param weights [T·K] weight of the choice.
 */
public record Routing(int tokens, int topk, long[] idx, float[] weights)
{
    /** Checks the lengths of the arrays. */
    public Routing
    {
        if (idx.length != tokens * topk || weights.length != tokens * topk)
        {
            throw new IllegalArgumentException("routing of " + tokens + " tokens x top-" + topk + ": idx has " +
                idx.length + " and weights " + weights.length + " elements, both must have " + tokens * topk);
        }
    }

    /**
     * Returns the expert of one choice.
     *
     * @param token token in [0, tokens).
     * @param k     index of the choice in [0, topk).
     * @return expert, −1 for none.
     */
    public long expert(final int token, final int k)
    {
        return idx[token * topk + k];
    }

    /**
     * Returns the weight of one choice.
     *
     * @param token token in [0, tokens).
     * @param k     index of the choice in [0, topk).
     * @return weight of the choice.
     */
    public float weight(final int token, final int k)
    {
        return weights[token * topk + k];
    }
}
