/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Tensors that a dispatch fills, R rows each. In expert-major layout K is 1: a row belongs to one expert, and padding
 * rows hold zeros, expert −1, weight 0 and source token −1. A cached dispatch fills rows and scales only: the metadata,
 * the last three tensors, is null unless the caller brought it, and then stays as it was.
 *
 * @param x           [R, hidden] BF16 or F8_E4M3, of the payload's memory kind.
 * @param xScales     [R, hidden/128] F32 of the payload's memory kind, null unless FP8.
 * @param topkIdx     [R, K] I64, as the other two in host memory or on the payload's device: local expert, or −1 where
 *                    the expert is not here.
 * @param topkWeights [R, K] F32: 0 where −1.
 * @param srcTokenIdx [R, 1] I32: index of the token on its source rank.
 */
public record DispatchOutput(Tensor x, Tensor xScales, Tensor topkIdx, Tensor topkWeights, Tensor srcTokenIdx)
{
}
