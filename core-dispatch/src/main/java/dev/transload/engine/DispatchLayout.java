/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Number of tokens that this rank would send to each rank, node and expert.
 *
 * @param tokensPerRank   [P] number of tokens that selected at least one expert of the rank.
 * @param tokensPerNode   [N] number of tokens that selected at least one expert of the node.
 * @param tokensPerExpert [E, including padding] number of tokens that selected the expert.
 * @param tokenInRank     [T][P] true if the token selected an expert of the rank.
 */
public record DispatchLayout(int[] tokensPerRank, int[] tokensPerNode, int[] tokensPerExpert, boolean[][] tokenInRank)
{
}
