/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;

/**
 * What the engine gave a rank.
 *
 * @param rows            R.
 * @param received        tensors with at least R rows.
 * @param rowsPerExpert   [L].
 * @param rankPrefixSum   [P].
 * @param combined        [T, hidden] BF16.
 * @param combinedWeights [T, K] F32; null where none were asked for.
 */
public record Outputs(
    int rows,
    DispatchOutput received,
    int[] rowsPerExpert,
    int[] rankPrefixSum,
    Tensor combined,
    Tensor combinedWeights)
{
}
