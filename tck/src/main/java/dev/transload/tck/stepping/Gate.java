/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.WorkQueue;

/**
 * A position of kernels that must be completed before operations read local memory, and before a fence lets others by.
 *
 * @param kernels  queue.
 * @param position of it.
 */
record Gate(WorkQueue kernels, long position)
{
    boolean isOpen()
    {
        // The kernels' own progress shows late in completedPosition(); the device knows better.
        return (kernels instanceof SteppingKernels own ? own.executedPosition() : kernels.completedPosition()) >=
            position;
    }
}
