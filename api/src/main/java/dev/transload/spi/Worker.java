/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.nio.ByteBuffer;

/**
 * Channels and imports that one thread drives (rule THR-1). A worker, its channels and its imports are not thread-safe.
 */
public interface Worker extends AutoCloseable
{
    /**
     * Returns the address that peers need to connect to this worker. Ranks exchange the addresses of workers out of
     * band.
     *
     * @return read-only opaque bytes, at most 4 KiB.
     */
    ByteBuffer address();

    /**
     * Opens a channel (queue pair) to a worker of a peer. The peer may be this rank itself. This method does not block:
     * call {@link #progress()} until {@link Channel#isConnected()} returns true. If the channel cannot connect, it
     * fails, and {@link Channel#failure()} returns the reason. A waiting thread must therefore check both methods:
     * {@code isConnected()} and {@code failure()}.
     *
     * @param peer        rank of the peer.
     * @param incarnation expected incarnation of the peer: the {@link TransportConfig#incarnation()} that the peer
     *                    configured, 1 by default. If the peer has another incarnation, the channel fails (rule CON-3).
     * @param peerAddress address from the peer's {@link #address()}.
     * @return the channel.
     */
    Channel connect(int peer, long incarnation, ByteBuffer peerAddress);

    /**
     * Imports a region of a peer. A worker needs to import a region only once, before its first use.
     *
     * @param peer       rank that owns the region.
     * @param descriptor descriptor from the peer's {@link MemoryRegion#descriptor()}.
     * @return remote region for this worker's channels to that peer.
     */
    RemoteRegion importRegion(int peer, ByteBuffer descriptor);

    /**
     * Imports signals of a peer. A worker needs to import signals only once, before their first use.
     *
     * @param peer       rank that owns the signals.
     * @param descriptor descriptor from the peer's {@link SignalRegion#descriptor()}.
     * @return remote signals for this worker's channels to that peer.
     */
    RemoteSignals importSignals(int peer, ByteBuffer descriptor);

    /**
     * Advances all channels and updates the values of signals that {@link SignalRegion#getAcquire} returns. If the
     * transport executes inbound operations in software, this method also processes them. This method never blocks.
     *
     * @return amount of work done; 0 means that there was none, and that the caller may idle.
     */
    int progress();

    /**
     * Makes the writes of peers to a region visible to device work that is submitted afterwards: kernels, and
     * operations that read the region as their source (rule ORD-3). The written data must have been published by a
     * signal that this thread has observed. This method does nothing for host memory.
     *
     * @param region region that peers wrote to.
     */
    void acquire(MemoryRegion region);

    /** Closes the channels and imports of this worker. Idempotent. */
    @Override
    void close();
}
