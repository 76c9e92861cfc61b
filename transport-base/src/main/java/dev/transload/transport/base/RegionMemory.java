/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;

/** Memory of a region. Each implementation frees memory in its own way. */
public interface RegionMemory
{
    /**
     * Returns the address of the memory.
     *
     * @return address of the first byte, or 0 if this process does not map the memory.
     */
    long address();

    /**
     * Returns a buffer over a part of the memory, in native byte order. The buffer must not be used after
     * {@link #free()}.
     *
     * @param offset offset of the first byte.
     * @param length length in bytes.
     * @return direct buffer.
     */
    ByteBuffer view(long offset, int length);

    /**
     * Returns the key that peers need, besides the ID, to access REMOTE memory.
     *
     * @return read-only bytes; {@link RegionDescriptor#NO_KEY} if the ID is enough.
     */
    default ByteBuffer key()
    {
        return RegionDescriptor.NO_KEY;
    }

    /** Frees the memory immediately. No thread may be using the memory. */
    void free();
}
