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

    /**
     * The peer's memory itself, where this process and the device of the region's kind can reach it in place (rules
     * WIN): row kernels read and write it, and a HOST one can be looked into. With {@link Capability#WINDOWS} every
     * import from a peer of this host has one; without it, or from another host, none has.
     *
     * @return region of LOCAL access, at the same offsets, that is closed with this import; null where there is none.
     */
    default MemoryRegion window()
    {
        return null;
    }

    /** Forget the region; local only, idempotent. */
    @Override
    void close();
}
