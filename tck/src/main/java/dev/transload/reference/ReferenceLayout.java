/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

/**
 * Destinations of the tokens of one rank.
 *
 * @param tokensPerRank   [P] number of tokens for each rank.
 * @param tokensPerNode   [N] number of tokens for each node.
 * @param tokensPerExpert [E] number of tokens for each expert; E includes padding.
 * @param tokenInRank     [T][P] true if the token goes to the rank.
 */
public record ReferenceLayout(
    int[] tokensPerRank, int[] tokensPerNode, int[] tokensPerExpert, boolean[][] tokenInRank)
{
}
