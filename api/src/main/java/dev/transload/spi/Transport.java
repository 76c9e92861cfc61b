/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.nio.ByteBuffer;

/**
 * Local resources of one rank: memory, workers, and a thread of the transport's own that keeps liveness and inbound
 * progress between calls, so that an idle caller does not look dead. Thread-safe; none of it is hot path.
 */
public interface Transport extends AutoCloseable
{
    /**
     * The promise, constant for the life of this instance.
     *
     * @return capabilities.
     */
    Capabilities capabilities();

    /**
     * What peers must know to answer {@link #canReach}, exchanged out of band.
     *
     * @return read-only opaque bytes, at most 1 KiB.
     */
    ByteBuffer peerInfo();

    /**
     * Whether channels to a peer can be connected; fills the reachability table.
     *
     * @param peer     rank; may be the own one.
     * @param peerInfo of that rank's transport.
     * @return verdict with a reason.
     */
    Reachability canReach(int peer, ByteBuffer peerInfo);

    /**
     * Allocate zeroed memory owned by the region, aligned to 64 bytes at least. Pages are reserved: memory that the
     * machine does not have is refused here, never by a fault later.
     *
     * @param kind   one of the capabilities' kinds.
     * @param device ordinal, 0 for {@link MemoryKind#HOST}.
     * @param length in bytes, positive.
     * @param access REMOTE to let peers address it.
     * @return the region.
     * @throws TransportUnavailableException naming what is short and how much was asked for.
     */
    MemoryRegion allocate(MemoryKind kind, int device, long length, Access access);

    /**
     * Register memory owned by the caller, which keeps it mapped until the region is closed.
     *
     * @param kind    one of the capabilities' kinds.
     * @param device  ordinal, 0 for {@link MemoryKind#HOST}.
     * @param address first byte.
     * @param length  in bytes, positive.
     * @param access  LOCAL always; REMOTE for kinds of {@link Capabilities#remoteKinds()}.
     * @return the region.
     * @throws UnsupportedCapabilityException for REMOTE access that is not offered for the kind.
     * @throws TransportUnavailableException  for memory of such a kind to which peers cannot be given access, as it
     *                                        was allocated; it can be registered LOCAL.
     */
    MemoryRegion register(MemoryKind kind, int device, long address, long length, Access access);

    /**
     * Allocate signals, the only thing that a thread of the JVM may wait on. They start at 0.
     *
     * @param count   of signals, positive.
     * @param writers channels that may add to one signal: 1, or more with {@link Capability#SHARED_SIGNALS}.
     * @return the signals.
     */
    SignalRegion allocateSignals(int count, int writers);

    /**
     * A list of rows in memory that this transport's device can read.
     *
     * @param capacity in rows.
     * @return the list.
     */
    RowList allocateRows(int capacity);

    /**
     * Open one progress domain.
     *
     * @param index in [0, maxWorkers), for affinity; each index is open at most once.
     * @return a worker, confined to the first thread that drives it (rule THR-1).
     */
    Worker openWorker(int index);

    /** Closes what is still open, in the order channels, workers, regions; idempotent (rule CLS-1). */
    @Override
    void close();
}
