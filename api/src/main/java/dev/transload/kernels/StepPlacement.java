/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/** Where a source writes the rows of a dispatch. */
public enum StepPlacement
{
    /** At their final place in the owner's output: half of the copies, and the owner must be waited for. */
    DIRECT,

    /** In slots of the source at the owner, which packs them: a source that writes late writes to its own slots. */
    SLOTS
}
