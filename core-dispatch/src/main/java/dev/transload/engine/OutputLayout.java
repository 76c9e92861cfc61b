/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Order of the rows that a dispatch delivers. */
public enum OutputLayout
{
    /** One row for each token that selected experts of this rank, in ascending order of source rank, then of token. */
    RANK_MAJOR,
    /**
     * For each token, one row for each local expert that it selected. The rows are in ascending order of expert, then
     * of source rank, then of token. Rows of zeros pad the rows of each expert to a multiple of the alignment.
     */
    EXPERT_MAJOR
}
