/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;

/**
 * Tensors that a dispatch fills; made once by {@link LowLatencyEngine#allocateOutput}, or of the caller's own memory,
 * and used again. L = ⌈E/P⌉ local experts, R = P·M rows for each of them. Rows of a local expert are packed from its
 * first row on; what lies beyond its count is untouched, unless a rank was lost in the call. The last three are in host
 * memory where threads do the steps, else in the device's.
 *
 * @param x           [L·R, hidden] BF16 or F8_E4M3 of the payload's memory kind: the type says whether rows are cast.
 * @param xScales     scales of FP8 rows as {@code scaleLayout} says, of the payload's memory kind; null with BF16.
 * @param scaleLayout of {@code xScales}; not used with BF16.
 * @param count       [L, 1] I32: rows of each local expert.
 * @param srcInfo     [L, R] I32: index of the token on its source rank, for each row.
 * @param layoutRange [L, P] I64: first row (high 32 bits) and number of rows (low 32 bits) from each source.
 */
public record LowLatencyOutput(
    Tensor x, Tensor xScales, ScaleLayout scaleLayout, Tensor count, Tensor srcInfo, Tensor layoutRange)
{
}
