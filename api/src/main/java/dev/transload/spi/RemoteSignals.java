/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** A peer's signals that one worker has imported. Only that worker's channels to that peer may use them. */
public interface RemoteSignals extends AutoCloseable
{
    /**
     * Returns the rank that owns the signals.
     *
     * @return rank.
     */
    int peer();

    /**
     * Returns the number of signals.
     *
     * @return count.
     */
    int count();

    /** Releases the import. The peer is not involved. Idempotent. */
    @Override
    void close();
}
