/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** A peer's signals as imported by one worker, used by that worker's channels to that peer. */
public interface RemoteSignals extends AutoCloseable
{
    /**
     * Whose signals they are.
     *
     * @return rank.
     */
    int peer();

    /**
     * Number of signals.
     *
     * @return count.
     */
    int count();

    /** Forget the signals; local only, idempotent. */
    @Override
    void close();
}
