/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Number of tokens that this rank would send to each rank, node and expert. In the shapes, P is the number of ranks, N
 * the number of nodes, E the number of experts including padding, and T the number of tokens of this rank.
 *
 * @param tokensPerRank   [P] for each rank, number of tokens that selected at least one of its experts.
 * @param tokensPerNode   [N] for each node, number of tokens that selected at least one of its experts.
 * @param tokensPerExpert [E] for each expert, number of tokens that selected it.
 * @param tokenInRank     [T][P] for each token and rank, whether the token selected an expert of the rank.
 */
public record DispatchLayout(int[] tokensPerRank, int[] tokensPerNode, int[] tokensPerExpert, boolean[][] tokenInRank)
{
}
