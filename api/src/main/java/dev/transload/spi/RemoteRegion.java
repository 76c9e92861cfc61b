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
     * import of HOST memory that a peer of this host allocated has one, the own rank's too; other kinds, and memory
     * that a peer only registered, may have none. Without it, or from another host, nothing has.
     *
     * @return region of LOCAL access, at the same offsets, closed with this import and not by itself; or null. Always
     * the same answer.
     */
    default MemoryRegion window()
    {
        return null;
    }

    /** Forget the region; local only, idempotent. */
    @Override
    void close();
}
