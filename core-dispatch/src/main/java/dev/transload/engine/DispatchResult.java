/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * What a dispatch delivered to this rank.
 *
 * @param rows           R, padding included (expert-major).
 * @param output         tensors as allocated; rows beyond R are untouched.
 * @param rowsPerExpert  [L] rows of each local expert, rounded up to the alignment.
 * @param rankPrefixSum  [P] inclusive: rows (rank-major numbering) that came from ranks up to and including p.
 * @param handle         for cached dispatches and for combine; close it to let the engine reuse its tables.
 * @param waitNs         [P] per source rank: from the start of the call until its last row had arrived, 0 if it sent
 *                       none.
 */
public record DispatchResult(
    int rows,
    DispatchOutput output,
    int[] rowsPerExpert,
    int[] rankPrefixSum,
    DispatchHandle handle,
    long[] waitNs)
{
}
