/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.time.Duration;

/**
 * A call under way.
 *
 * @param <T> its result.
 */
public interface Completion<T>
{
    /**
     * Whether it ended, well or not.
     *
     * @return true once {@link #await()} returns or throws at once.
     */
    boolean isDone();

    /**
     * Wait for the end; the call's own deadline bounds it. Drives the engine where it has no threads of its own.
     *
     * @return result.
     * @throws CallFailedException when the call failed.
     */
    T await();

    /**
     * Wait for the end, but not longer than a given time. Drives the engine where it has no threads of its own.
     *
     * @param timeout not negative.
     * @return true if the call has ended, well or not, so that {@link #await()} returns or throws at once.
     */
    boolean await(Duration timeout);
}
