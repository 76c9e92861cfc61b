/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.steps;

/** What ranks tell each other between two primitives. */
enum Moment
{
    /** Rows of a dispatch are stored. */
    DONE,
    /** Answers may be read. */
    READY,
    /** Answers were read. */
    READ
}
