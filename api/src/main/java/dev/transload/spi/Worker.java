/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.nio.ByteBuffer;

/** A progress domain. Not thread-safe: it, its channels and its imports are confined to one thread (rule THR-1). */
public interface Worker extends AutoCloseable
{
    /**
     * Where this worker is reached, exchanged out of band.
     *
     * @return read-only opaque bytes, at most 4 KiB.
     */
    ByteBuffer address();

    /**
     * Open one more channel (queue pair) to a peer's worker, which may be one of the own rank. Does not block: call
     * {@link #progress()} until {@link Channel#isConnected()}. A channel that cannot connect fails, and
     * {@link Channel#failure()} says why: a thread that waits looks at both.
     *
     * @param peer        rank.
     * @param incarnation of the peer that is meant, see {@link TransportConfig#incarnation()} of the peer, 1 unless it
     *                    was set; a channel to any other life of it fails (rule CON-3).
     * @param peerAddress from the peer's {@link #address()}.
     * @return the channel.
     */
    Channel connect(int peer, long incarnation, ByteBuffer peerAddress);

    /**
     * Import a peer's region, once a worker, when it is first needed.
     *
     * @param peer       rank whose region it is.
     * @param descriptor from the peer's {@link MemoryRegion#descriptor()}.
     * @return remote view for this worker's channels to that peer.
     */
    RemoteRegion importRegion(int peer, ByteBuffer descriptor);

    /**
     * Import a peer's signals, once a worker, when they are first needed.
     *
     * @param peer       rank whose signals they are.
     * @param descriptor from the peer's {@link SignalRegion#descriptor()}.
     * @return remote view for this worker's channels to that peer.
     */
    RemoteSignals importSignals(int peer, ByteBuffer descriptor);

    /**
     * Advance all channels, refresh the mirrors of signals and, where the target is software, apply inbound
     * operations. Never blocks.
     *
     * @return work done; 0 means the caller may idle.
     */
    int progress();

    /**
     * Make what peers wrote before a signal that this thread has observed visible to device work submitted afterwards:
     * kernels, and operations that read the region as their source (rule ORD-3). Nothing to do for host memory.
     *
     * @param region written by peers.
     */
    void acquire(MemoryRegion region);

    /** Closes its channels and imports. Idempotent. */
    @Override
    void close();
}
