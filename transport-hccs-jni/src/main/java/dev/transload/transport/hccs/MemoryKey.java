/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.transport.base.RegionDescriptor;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Key of a descriptor of device memory; one of host memory has none, its id names a file. Layout, little endian:
 * ordinal of the device i32, address i64, both in the owner's process, then the runtime's key as ASCII up to the end.
 *
 * @param ordinal of the device that has the memory.
 * @param address of the region's first byte in its owner's process.
 * @param text    of the runtime, for other processes.
 */
record MemoryKey(int ordinal, long address, String text)
{
    private static final int FIXED_LENGTH = Integer.BYTES + Long.BYTES;

    /** The key of a descriptor, or null for host memory. */
    static MemoryKey of(final RegionDescriptor descriptor)
    {
        final ByteBuffer source = descriptor.key().order(ByteOrder.LITTLE_ENDIAN);
        if (0 == source.remaining())
        {
            return null;
        }

        if (source.remaining() <= FIXED_LENGTH)
        {
            throw new IllegalArgumentException("descriptor: its key has " + source.remaining() +
                " bytes, which is too short");
        }

        return new MemoryKey(source.getInt(), source.getLong(), StandardCharsets.US_ASCII.decode(source).toString());
    }

    ByteBuffer encode()
    {
        final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(FIXED_LENGTH + bytes.length).order(ByteOrder.LITTLE_ENDIAN)
            .putInt(ordinal).putLong(address).put(bytes).flip().asReadOnlyBuffer();
    }
}
