/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Where the tokens of this rank go.
 *
 * @param tokensPerRank   [P] tokens with at least one expert on the rank.
 * @param tokensPerNode   [N] tokens with at least one expert on the node.
 * @param tokensPerExpert [E padded] tokens that selected the expert.
 * @param tokenInRank     [T][P] whether the token has an expert on the rank.
 */
public record DispatchLayout(int[] tokensPerRank, int[] tokensPerNode, int[] tokensPerExpert, boolean[][] tokenInRank)
{
}
