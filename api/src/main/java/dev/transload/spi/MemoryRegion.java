/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.nio.ByteBuffer;

/** Registered local memory. Operations address it by 64-bit offset, never by pointer. */
public interface MemoryRegion extends AutoCloseable
{
    /**
     * Where the bytes live.
     *
     * @return kind.
     */
    MemoryKind kind();

    /**
     * Device that owns the bytes.
     *
     * @return ordinal, 0 for {@link MemoryKind#HOST}.
     */
    int device();

    /**
     * Who may address it.
     *
     * @return access.
     */
    Access access();

    /**
     * Size.
     *
     * @return bytes.
     */
    long length();

    /**
     * Address of the first byte, for kernels, native code and registration with another transport.
     *
     * @return address; only HOST addresses mean anything to this process.
     */
    long address();

    /**
     * What a peer needs to import this region.
     *
     * @return read-only, opaque, versioned bytes, at most 1 KiB.
     * @throws IllegalStateException for {@link Access#LOCAL} regions.
     */
    ByteBuffer descriptor();

    /**
     * View of a part of a host region, in native byte order; it keeps the memory alive no longer than the region.
     *
     * @param offset first byte.
     * @param length in bytes.
     * @return direct buffer.
     * @throws UnsupportedOperationException for kinds that the JVM cannot look into.
     */
    ByteBuffer hostView(long offset, int length);

    /** Deregister, and free if allocated here. No operation may be in flight on it (rule CLS-3). Idempotent. */
    @Override
    void close();
}
