/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Result of a dispatch on one rank. P is the number of ranks, and L the number of local experts.
 *
 * @param rows           R, the number of delivered rows, including padding in expert-major layout.
 * @param output         tensors that hold the delivered rows. The dispatch does not change rows of these tensors from
 *                       index R on.
 * @param rowsPerExpert  [L] number of rows of each local expert, rounded up to a multiple of the alignment.
 * @param rankPrefixSum  [P] at index p, number of tokens that came from ranks 0 to p, p included. Each token counts
 *                       once, even if it was delivered in several rows in expert-major layout.
 * @param handle         handle for cached dispatches and for the combine. Closing the handle lets the engine reuse the
 *                       tables of the handle.
 * @param waitNs         [P] for each source rank, nanoseconds from the start of the call until the last row of the rank
 *                       had arrived; 0 if the rank sent no rows.
 * @param leftOut        number of selections of this rank's tokens that are left out because the ranks of their experts
 *                       are {@linkplain WorldConfig#absent() absent}. Weights are not adapted.
 */
public record DispatchResult(
    int rows,
    DispatchOutput output,
    int[] rowsPerExpert,
    int[] rankPrefixSum,
    DispatchHandle handle,
    long[] waitNs,
    int leftOut)
{
}
