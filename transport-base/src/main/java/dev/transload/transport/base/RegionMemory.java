/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;

/** The bytes behind a region: where they come from, and how they go. */
public interface RegionMemory
{
    /**
     * Where it begins.
     *
     * @return address of the first byte; 0 where this process does not address it.
     */
    long address();

    /**
     * View of a part, in native byte order; it does not outlive {@link #free()}.
     *
     * @param offset of the first byte.
     * @param length in bytes.
     * @return direct buffer.
     */
    ByteBuffer view(long offset, int length);

    /**
     * What peers need to reach it, besides its id: the key of its descriptor, for REMOTE memory.
     *
     * @return read-only bytes; {@link RegionDescriptor#NO_KEY} where the id is enough.
     */
    default ByteBuffer key()
    {
        return RegionDescriptor.NO_KEY;
    }

    /** Gives the bytes back at once; nobody may be using them. */
    void free();
}
