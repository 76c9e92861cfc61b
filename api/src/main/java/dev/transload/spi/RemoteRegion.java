/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** A peer's region that one worker has imported. Only that worker's channels to that peer may use it. */
public interface RemoteRegion extends AutoCloseable
{
    /**
     * Returns the rank that owns the memory.
     *
     * @return rank.
     */
    int peer();

    /**
     * Returns the length of the region.
     *
     * @return number of bytes.
     */
    long length();

    /**
     * Returns a window: a region that maps the peer's memory into this process (rules WIN). Row kernels can read and
     * write this memory in place. The JVM can do so too if the kind of the memory is HOST. If the transport offers
     * {@link Capability#WINDOWS}, there is a window for all HOST memory that this rank or a peer on the same host
     * allocated. Memory of other kinds, and memory that a peer registered, may have no window. There is no window if
     * the transport does not offer {@code WINDOWS}, or if the peer is on another host.
     *
     * @return region with LOCAL access and the same offsets as this region, or null if there is no window. Every call
     *         returns the same object. Closing this import closes the window; the caller must not close the window.
     */
    default MemoryRegion window()
    {
        return null;
    }

    /** Releases the import. The peer is not involved. Idempotent. */
    @Override
    void close();
}
