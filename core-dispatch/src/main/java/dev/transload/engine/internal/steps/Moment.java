/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.StepWords;

/** What ranks tell each other between two primitives. */
enum Moment
{
    /** Rows of a dispatch are stored. */
    DONE,
    /** Answers may be read, or were pushed. */
    READY,
    /** Answers were read. */
    READ;

    /** In place of the number of an answers tensor: the answers are in slots at their home. */
    static final int PUSHED = StepWords.MAX_TENSORS;
}
