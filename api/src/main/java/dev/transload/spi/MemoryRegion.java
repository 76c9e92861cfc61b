/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.nio.ByteBuffer;

/** Registered local memory. Operations address bytes of a region by a 64-bit offset, never by a pointer. */
public interface MemoryRegion extends AutoCloseable
{
    /**
     * Returns the kind of the memory.
     *
     * @return kind.
     */
    MemoryKind kind();

    /**
     * Returns the device that has the memory.
     *
     * @return ordinal of the device, 0 for {@link MemoryKind#HOST}.
     */
    int device();

    /**
     * Returns whether peers may use the region.
     *
     * @return access.
     */
    Access access();

    /**
     * Returns the length of the region.
     *
     * @return number of bytes.
     */
    long length();

    /**
     * Returns the address of the first byte, for kernels, native code and registration with another transport.
     *
     * @return address; this process may use it as a pointer only if the kind is HOST.
     */
    long address();

    /**
     * Returns the descriptor that a peer needs to import this region.
     *
     * @return read-only, opaque, versioned bytes, at most 1 KiB.
     * @throws IllegalStateException for {@link Access#LOCAL} regions.
     */
    ByteBuffer descriptor();

    /**
     * Returns a buffer over a part of a host region. The buffer must not be used after the region is closed.
     *
     * @param offset offset of the first byte.
     * @param length number of bytes.
     * @return direct buffer in native byte order.
     * @throws UnsupportedOperationException if the JVM cannot access memory of this kind.
     */
    ByteBuffer hostView(long offset, int length);

    /**
     * Deregisters the memory, and also frees the memory if the transport allocated it. The caller must make sure that
     * no operation still uses the memory (rule CLS-3). Idempotent.
     */
    @Override
    void close();
}
