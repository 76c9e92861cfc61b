/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.nvlink.cuda.CudaIpc;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * Key of a descriptor of device memory; one of host memory has none, its id names a file. Layout, little endian: UUID
 * of the device, two i64, address i64 in the owner's process, offset i64 in the allocation, handle of the allocation,
 * 64 bytes.
 *
 * @param device  that has the memory.
 * @param address of the region's first byte in its owner's process.
 * @param offset  of the region in the allocation that the handle stands for.
 * @param handle  for other processes.
 */
record MemoryKey(UUID device, long address, long offset, ByteBuffer handle)
{
    private static final int LENGTH = 4 * Long.BYTES + CudaIpc.HANDLE_LENGTH;

    /** The key of a descriptor, or null for host memory. */
    static MemoryKey of(final RegionDescriptor descriptor)
    {
        final ByteBuffer source = descriptor.key().order(ByteOrder.LITTLE_ENDIAN);
        if (0 == source.remaining())
        {
            return null;
        }

        if (LENGTH != source.remaining())
        {
            throw new IllegalArgumentException("descriptor: its key has " + source.remaining() + " bytes instead of " +
                LENGTH);
        }

        return new MemoryKey(new UUID(source.getLong(), source.getLong()), source.getLong(), source.getLong(),
            source.slice());
    }

    ByteBuffer encode()
    {
        return ByteBuffer.allocate(LENGTH).order(ByteOrder.LITTLE_ENDIAN)
            .putLong(device.getMostSignificantBits()).putLong(device.getLeastSignificantBits())
            .putLong(address).putLong(offset).put(handle.duplicate()).flip().asReadOnlyBuffer();
    }
}
