/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.time.Duration;

/**
 * A submitted call, whose end a caller can wait for.
 *
 * @param <T> type of the call's result.
 */
public interface Completion<T>
{
    /**
     * Returns whether the call has ended, successfully or not.
     *
     * @return true if {@link #await()} would return or throw without waiting.
     */
    boolean isDone();

    /**
     * Waits until the call ends. The deadline of the call limits the wait. If the engine has no threads of its own,
     * this method drives the engine.
     *
     * @return result of the call.
     * @throws CallFailedException if the call failed.
     */
    T await();

    /**
     * Waits until the call ends, but no longer than a given time. If the engine has no threads of its own, this method
     * drives the engine.
     *
     * @param timeout longest wait, not negative.
     * @return true if the call has ended, successfully or not: {@link #await()} would then return or throw without
     *         waiting.
     */
    boolean await(Duration timeout);
}
