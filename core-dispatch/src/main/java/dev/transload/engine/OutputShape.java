/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Shape of the output that a dispatch needs on this rank.
 *
 * @param rows   number of payload rows, including padding in expert-major layout.
 * @param hidden number of elements of a row.
 * @param type   BF16 or F8_E4M3.
 * @param topk   number of columns of the top-k tensors. For rank-major rows, it is the number of experts that a token
 *               selects. It is 1 for expert-major rows, and 0 for a cached dispatch, which needs no metadata tensors.
 */
public record OutputShape(int rows, int hidden, DataType type, int topk)
{
}
