/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Tensors that a dispatch fills. Each tensor has at least R rows, where R is the number of delivered rows. In
 * expert-major layout K is 1: each row belongs to one expert, and padding rows hold zeros, expert −1, weight 0 and
 * source token −1. A cached dispatch fills only rows and scales. The last three tensors, the metadata, are null after
 * a cached dispatch unless the caller provided them. A cached dispatch does not change the metadata.
 *
 * @param x           [R, hidden] BF16 or F8_E4M3, of the payload's memory kind.
 * @param xScales     [R, hidden/128] F32 of the payload's memory kind; null for BF16 rows.
 * @param topkIdx     [R, K] I64: index of the local expert, or −1 if the expert is on another rank. In host memory or
 *                    on the payload's device, like the next two tensors.
 * @param topkWeights [R, K] F32: weight of the selection, 0 if {@code topkIdx} is −1.
 * @param srcTokenIdx [R, 1] I32: index of the token on its source rank.
 */
public record DispatchOutput(Tensor x, Tensor xScales, Tensor topkIdx, Tensor topkWeights, Tensor srcTokenIdx)
{
}
