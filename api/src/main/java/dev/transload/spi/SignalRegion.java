/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.nio.ByteBuffer;

/**
 * Monotone 64-bit counters to which peers add, each written by one channel only (or as many as were asked for). They
 * are never reset and never written locally; a reconnected channel gets new ones (rules SIG).
 */
public interface SignalRegion extends AutoCloseable
{
    /**
     * Number of signals.
     *
     * @return count.
     */
    int count();

    /**
     * Value of a signal as of the last refresh of the host mirror by a worker's {@link Worker#progress()} of this
     * transport; transports that write host memory directly are always fresh. What the adding channel had put before
     * its fence, or before its {@link Channel#signal}, is visible to the calling thread (host memory) once the value
     * shows the add.
     *
     * @param index of the signal.
     * @return its value, read with acquire semantics; any thread may call.
     * @throws IllegalStateException once the signals are closed.
     */
    long getAcquire(int index);

    /**
     * What a peer needs to import the signals.
     *
     * @return read-only, opaque, versioned bytes, at most 1 KiB.
     */
    ByteBuffer descriptor();

    /** Frees the signals; other threads may be reading them (rule SIG-7). Idempotent. */
    @Override
    void close();
}
