/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.nio.ByteBuffer;

/**
 * A transport's resources on one rank: memory and workers. A thread of the transport sends signs of life and processes
 * inbound operations between calls, so that peers do not take an idle rank for dead. A transport is thread-safe. Its
 * methods are not for the hot path.
 */
public interface Transport extends AutoCloseable
{
    /**
     * Returns the capabilities, which never change while the transport is open.
     *
     * @return capabilities.
     */
    Capabilities capabilities();

    /**
     * Returns the information that peers need for {@link #canReach}. Ranks exchange this information out of band.
     *
     * @return read-only opaque bytes, at most 1 KiB.
     */
    ByteBuffer peerInfo();

    /**
     * Returns whether channels to a peer can be connected. The engine fills its reachability table with the results.
     *
     * @param peer     rank of the peer, which may be this rank itself.
     * @param peerInfo information from the transport of that rank.
     * @return result with a reason.
     */
    Reachability canReach(int peer, ByteBuffer peerInfo);

    /**
     * Allocates memory filled with zeros, aligned to at least 64 bytes. The region owns the memory. The pages are
     * reserved at once: if the machine has too little memory, this method fails, not a later access.
     *
     * @param kind   kind of memory, one of {@link Capabilities#kinds()}.
     * @param device ordinal of the device, 0 for {@link MemoryKind#HOST}.
     * @param length number of bytes, positive.
     * @param access REMOTE if peers may use the region, otherwise LOCAL.
     * @return the region.
     * @throws TransportUnavailableException if a resource does not suffice; the message names the resource and the
     *                                       requested amount.
     */
    MemoryRegion allocate(MemoryKind kind, int device, long length, Access access);

    /**
     * Registers memory that the caller owns. The caller must keep the memory mapped until the region is closed.
     *
     * @param kind    kind of memory, one of {@link Capabilities#kinds()}.
     * @param device  ordinal of the device, 0 for {@link MemoryKind#HOST}.
     * @param address address of the first byte.
     * @param length  number of bytes, positive.
     * @param access  LOCAL, or REMOTE for kinds of {@link Capabilities#remoteKinds()}.
     * @return the region.
     * @throws UnsupportedCapabilityException if REMOTE access is requested for a kind that is not in
     *                                        {@link Capabilities#remoteKinds()}.
     * @throws TransportUnavailableException  if peers cannot get access to this memory because of how it was allocated.
     *                                        LOCAL access is still possible.
     */
    MemoryRegion register(MemoryKind kind, int device, long address, long length, Access access);

    /**
     * Allocates signals, whose values start at 0. A thread of the JVM that waits for data of a peer must wait for a
     * signal, not watch the data itself.
     *
     * @param count   number of signals, positive.
     * @param writers number of channels that may add to one signal: 1, or more if the transport offers
     *                {@link Capability#SHARED_SIGNALS}.
     * @return the signals.
     */
    SignalRegion allocateSignals(int count, int writers);

    /**
     * Allocates a list of rows in memory that this transport's device can read.
     *
     * @param capacity number of rows.
     * @return the list.
     */
    RowList allocateRows(int capacity);

    /**
     * Opens a worker, which one thread drives.
     *
     * @param index index of the worker, in [0, maxWorkers), by which the transport may assign resources to the worker.
     *              Two open workers must not have the same index.
     * @return worker. Only the first thread that drives the worker may use it (rule THR-1).
     */
    Worker openWorker(int index);

    /** Closes all channels, then all workers, then all regions that are still open. Idempotent (rule CLS-1). */
    @Override
    void close();
}
