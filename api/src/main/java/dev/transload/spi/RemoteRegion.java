/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** A peer's region as imported by one worker, used by that worker's channels to that peer. */
public interface RemoteRegion extends AutoCloseable
{
    /**
     * Whose memory it is.
     *
     * @return rank.
     */
    int peer();

    /**
     * Size.
     *
     * @return bytes.
     */
    long length();

    /** Forget the region; local only, idempotent. */
    @Override
    void close();
}
