/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

/** Something with work that steps can do. */
interface StepQueue
{
    /** Rank that does the work, or -1. */
    int rank();

    boolean isEmpty();

    /** True when steps alone cannot help: something outside must happen first. */
    boolean isBlocked();

    void step();

    /** The rank was killed: what it had submitted never happens. */
    void kill(int rank);
}
