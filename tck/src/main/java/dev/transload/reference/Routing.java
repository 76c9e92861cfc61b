/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

/**
 * Which experts the tokens of one rank chose.
 *
 * @param tokens  T.
 * @param topk    K.
 * @param idx     [T·K] expert or −1.
 * @param weights [T·K].
 */
public record Routing(int tokens, int topk, long[] idx, float[] weights)
{
    /** Checks the lengths. */
    public Routing
    {
        if (idx.length != tokens * topk || weights.length != tokens * topk)
        {
            throw new IllegalArgumentException("routing of " + tokens + " tokens x top-" + topk + ": idx has " +
                idx.length + " and weights " + weights.length + " elements, both must have " + tokens * topk);
        }
    }

    /**
     * One choice.
     *
     * @param token in [0, tokens).
     * @param k     in [0, topk).
     * @return expert or −1.
     */
    public long expert(final int token, final int k)
    {
        return idx[token * topk + k];
    }

    /**
     * Weight of a choice.
     *
     * @param token in [0, tokens).
     * @param k     in [0, topk).
     * @return weight.
     */
    public float weight(final int token, final int k)
    {
        return weights[token * topk + k];
    }
}
