/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/** Where a source writes the rows of a dispatch. */
public enum StepPlacement
{
    /**
     * At the final place in the owner's output. Rows are copied half as often as with {@link #SLOTS}, but the source
     * must wait for the owner.
     */
    DIRECT,

    /**
     * In the source's slots on the rank that owns the output. The owner then copies the rows from the slots to their
     * final places. A source that is late writes only to its own slots.
     */
    SLOTS
}
