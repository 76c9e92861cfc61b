/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Tensors that a dispatch fills. Each tensor has at least R rows, where R is the number of delivered rows. K is the
 * number of experts that a token selects, or 1 in expert-major layout, where each row belongs to one expert. Padding
 * rows hold zeros, expert −1, weight 0 and source token −1.
 * <p>
 * A cached dispatch fills only rows and scales. The other three tensors are the metadata. A cached dispatch returns the
 * metadata tensors that the caller provided, unchanged; a metadata tensor that the caller did not provide is null.
 *
 * @param x           [R, hidden] BF16 or F8_E4M3, of the payload's memory kind.
 * @param xScales     [R, hidden/128] F32 of the payload's memory kind; null for BF16 rows.
 * @param topkIdx     [R, K] I64: index of the selected expert among the local experts, or −1 if the expert is on
 *                    another rank. This tensor and the next two are in host memory or on the payload's device.
 * @param topkWeights [R, K] F32: weight of the selection, 0 if {@code topkIdx} is −1.
 * @param srcTokenIdx [R, 1] I32: index of the token on its source rank.
 */
public record DispatchOutput(Tensor x, Tensor xScales, Tensor topkIdx, Tensor topkWeights, Tensor srcTokenIdx)
{
}
