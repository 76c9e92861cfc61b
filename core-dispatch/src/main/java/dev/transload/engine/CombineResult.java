/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Result of a combine on one rank. T is the number of tokens of this rank, and K the number of experts that a token
 * selects.
 *
 * @param x           [T, hidden] BF16: the combined rows of this rank's tokens.
 * @param topkWeights [T, K] F32: the combined weights, null if the request had none.
 * @param leftOut     number of selections of this rank's tokens whose answers are left out because the ranks of their
 *                    experts are {@linkplain WorldConfig#absent() absent}. Weights are not adapted.
 */
public record CombineResult(Tensor x, Tensor topkWeights, int leftOut)
{
}
