/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Shape of the output that a dispatch needs on this rank.
 *
 * @param rows   number of payload rows, including padding in expert-major layout.
 * @param hidden number of elements of a row.
 * @param type   BF16 or F8_E4M3.
 * @param topk   K of the top-k tensors for rank-major rows; 1 for expert-major rows; 0 for a cached dispatch, which
 *               needs no metadata tensors.
 */
public record OutputShape(int rows, int hidden, DataType type, int topk)
{
}
