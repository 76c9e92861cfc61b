/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Order of the rows that a dispatch delivers. */
public enum OutputLayout
{
    /** One row per (source rank, token), source ranks ascending, tokens ascending within. */
    RANK_MAJOR,
    /**
     * One row per (local expert, source rank, token), each expert's rows padded with zero rows to the alignment.
     */
    EXPERT_MAJOR
}
