/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;

/**
 * Tensors that a low-latency dispatch fills, for use in many calls. {@link LowLatencyEngine#allocateOutput} creates an
 * output, or the caller creates one in its own memory.
 * <p>
 * With E experts on P ranks and at most M tokens of a rank in one call, each rank has L = ⌈E/P⌉ local experts. Each
 * local expert has R = P·M rows. The received rows of a local expert are stored one after the other, beginning at the
 * expert's first row. The dispatch does not change the expert's other rows, unless a rank was lost in the call.
 * {@code count}, {@code srcInfo} and {@code layoutRange} are in host memory if threads run the steps, else in device
 * memory.
 *
 * @param x           [L·R, hidden] BF16 or F8_E4M3 of the payload's memory kind. If the type is F8_E4M3, the dispatch
 *                    casts rows.
 * @param xScales     scales of FP8 rows in the layout {@code scaleLayout}, of the payload's memory kind; null for BF16.
 * @param scaleLayout layout of {@code xScales}; not used for BF16.
 * @param count       [L, 1] I32: number of rows of each local expert.
 * @param srcInfo     [L, R] I32: for each row, the index of its token on the source rank.
 * @param layoutRange [L, P] I64: for each local expert and source rank, the first row (high 32 bits) and the number of
 *                    rows (low 32 bits).
 */
public record LowLatencyOutput(
    Tensor x, Tensor xScales, ScaleLayout scaleLayout, Tensor count, Tensor srcInfo, Tensor layoutRange)
{
}
