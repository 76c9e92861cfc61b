/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

/**
 * Where the tokens of one rank go.
 *
 * @param tokensPerRank   [P].
 * @param tokensPerNode   [N].
 * @param tokensPerExpert [E padded].
 * @param tokenInRank     [T][P].
 */
public record ReferenceLayout(
    int[] tokensPerRank, int[] tokensPerNode, int[] tokensPerExpert, boolean[][] tokenInRank)
{
}
