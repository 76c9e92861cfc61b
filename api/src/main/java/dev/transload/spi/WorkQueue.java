/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * A queue of asynchronous work that runs in order of submission, e.g. row kernels. A channel can wait for work of the
 * queue.
 */
public interface WorkQueue
{
    /**
     * Returns the position of the last submitted operation.
     *
     * @return number of submitted operations.
     */
    long position();

    /**
     * Returns the position up to which operations have completed. The targets of completed operations are readable by
     * later device work, by transports, and by the CPU if the memory is HOST.
     *
     * @return cumulative position.
     */
    long completedPosition();
}
