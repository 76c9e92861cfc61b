/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Whether rows in device memory pass through host memory on their way between nodes. */
public enum StagingMode
{
    /** Where the scale-out transport does not move the payload's kind. */
    AUTO,

    /** Also where it does. Rows in host memory are never staged. */
    ALWAYS,

    /** Not at all: opening is refused, with the reason, where rows would have to be. */
    NEVER
}
