/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/** Which far ranks take part, for the thread that brings them what is posted. */
interface FarVerdict
{
    boolean isActive(int rank);

    /** Leave a rank out that is known to be gone; whether it is left out. */
    boolean maskIfGone(int rank);

    /** Leave a rank out. */
    void mask(int rank, String reason);
}
