/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Whether rows in device memory are copied through host memory on their way between nodes. */
public enum StagingMode
{
    /** Rows are staged if the scale-out transport cannot move memory of the payload's kind. */
    AUTO,

    /** Rows in device memory are always staged. Rows in host memory are never staged. */
    ALWAYS,

    /** Rows are never staged. If the scale-out transport requires staging, opening fails with the reason. */
    NEVER
}
