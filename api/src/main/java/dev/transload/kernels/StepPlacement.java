/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/** Where a source writes the rows of a dispatch. */
public enum StepPlacement
{
    /**
     * A source writes each row to its final place in the output. Rows are copied half as often as with {@link #SLOTS},
     * but the source must wait for the rank that owns the output.
     */
    DIRECT,

    /**
     * A source writes rows to its own slots on the rank that owns the output. The owner then copies the rows from the
     * slots to their final places. A source that is so late that it was masked cannot overwrite rows of other sources,
     * since it writes only to its own slots.
     */
    SLOTS
}
