/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * What a combine brought home.
 *
 * @param x           [T, hidden] BF16.
 * @param topkWeights [T, K] F32, null when no weights were given.
 */
public record CombineResult(Tensor x, Tensor topkWeights)
{
}
