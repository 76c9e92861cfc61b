/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Asynchronous work in order of submission, e.g. row kernels: a channel can start behind it. */
public interface WorkQueue
{
    /**
     * Last submitted operation.
     *
     * @return count of submitted operations.
     */
    long position();

    /**
     * All operations up to here are done: targets readable by the CPU (HOST), by later device work, and by transports.
     *
     * @return cumulative position.
     */
    long completedPosition();
}
