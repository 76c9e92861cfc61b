/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.nio.ByteBuffer;

/**
 * 64-bit counters to which peers add. {@link Transport#allocateSignals} sets how many channels may add to one counter.
 * Counters only grow; they are never reset and never written locally. A reconnected channel gets new signals (rules
 * SIG).
 */
public interface SignalRegion extends AutoCloseable
{
    /**
     * Returns the number of signals.
     *
     * @return count.
     */
    int count();

    /**
     * Returns the value of a signal. If peers add directly to the memory that this method reads, the value is
     * current. Otherwise it is the value at the last {@link Worker#progress()} of any worker of this transport. Suppose
     * that a peer's channel put data into host memory, and then made an add after a fence or called
     * {@link Channel#signal}. Once the value includes this add, the calling thread sees the data.
     *
     * @param index index of the signal.
     * @return value of the signal, read with acquire semantics. Any thread may call this method.
     * @throws IllegalStateException if the signals are closed.
     */
    long getAcquire(int index);

    /**
     * Returns the descriptor that a peer needs to import the signals.
     *
     * @return read-only, opaque, versioned bytes, at most 1 KiB.
     */
    ByteBuffer descriptor();

    /** Frees the signals, even while other threads read them (rule SIG-7). Idempotent. */
    @Override
    void close();
}
