/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.nvlink.cuda.CudaIpc;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * Key of a descriptor of device memory; one of host memory has none, its id names a file. Layout, little endian: UUID
 * of the device, two i64, address i64 in the owner's process, offset i64 in what the handle or the files stand for,
 * number of files i32, and without files the handle of an allocation, 64 bytes.
 *
 * @param device  that has the memory.
 * @param address of the region's first byte, by which the owner's process addresses it on any device; 0 where other
 *                devices of that process need an import of their own.
 * @param offset  of the region in the allocation, or in the pieces that the files stand for, side by side.
 * @param files   that the owner gives out, by the region's id; 0 for an allocation with a handle.
 * @param handle  for other processes, empty with files.
 */
record MemoryKey(UUID device, long address, long offset, int files, ByteBuffer handle)
{
    private static final int FIXED_LENGTH = 4 * Long.BYTES + Integer.BYTES;

    static MemoryKey ofHandle(final UUID device, final long address, final long offset, final ByteBuffer handle)
    {
        return new MemoryKey(device, address, offset, 0, handle);
    }

    static MemoryKey ofFiles(final UUID device, final long offset, final int files)
    {
        return new MemoryKey(device, 0, offset, files, RegionDescriptor.NO_KEY);
    }

    /** The key of a descriptor, or null for host memory. */
    static MemoryKey of(final RegionDescriptor descriptor)
    {
        final ByteBuffer source = descriptor.key().order(ByteOrder.LITTLE_ENDIAN);
        final int length = source.remaining();
        if (0 == length)
        {
            return null;
        }

        if (FIXED_LENGTH != length && FIXED_LENGTH + CudaIpc.HANDLE_LENGTH != length)
        {
            throw new IllegalArgumentException("descriptor: its key has " + length + " bytes instead of " +
                FIXED_LENGTH + ", or " + CudaIpc.HANDLE_LENGTH + " more with a handle");
        }

        return new MemoryKey(new UUID(source.getLong(), source.getLong()), source.getLong(), source.getLong(),
            source.getInt(), source.slice());
    }

    ByteBuffer encode()
    {
        return ByteBuffer.allocate(FIXED_LENGTH + handle.remaining()).order(ByteOrder.LITTLE_ENDIAN)
            .putLong(device.getMostSignificantBits()).putLong(device.getLeastSignificantBits())
            .putLong(address).putLong(offset).putInt(files).put(handle.duplicate()).flip().asReadOnlyBuffer();
    }
}
