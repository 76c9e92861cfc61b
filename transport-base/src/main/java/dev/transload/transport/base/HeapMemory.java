/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.TransportUnavailableException;
import java.nio.ByteBuffer;
import org.agrona.UnsafeApi;

/** Zeroed native memory outside the Java heap, for regions that no other process maps. */
public final class HeapMemory implements RegionMemory
{
    private static final int ALIGNMENT = 64;

    private final long allocation;
    private final long address;

    private HeapMemory(final long allocation)
    {
        this.allocation = allocation;
        this.address = allocation + ALIGNMENT - 1 & -ALIGNMENT;
    }

    /**
     * Allocates memory.
     *
     * @param transport name of the calling transport, for error messages.
     * @param length    length in bytes.
     * @return the memory, aligned to 64 bytes.
     * @throws TransportUnavailableException if the machine has too little available memory.
     */
    public static HeapMemory allocate(final String transport, final long length)
    {
        AvailableMemory.require(transport, length);
        final long allocation;
        try
        {
            allocation = UnsafeApi.allocateMemory(length + ALIGNMENT);
        }
        catch (final OutOfMemoryError ex)
        {
            throw new TransportUnavailableException(
                "transport " + transport + ": the system refused " + length +
                " bytes of memory: ask for smaller regions", ex);
        }

        final HeapMemory memory = new HeapMemory(allocation);
        UnsafeApi.setMemory(memory.address, length, (byte)0);
        return memory;
    }

    @Override
    public long address()
    {
        return address;
    }

    @Override
    public ByteBuffer view(final long offset, final int length)
    {
        return AddressView.of(address + offset, length);
    }

    @Override
    public void free()
    {
        UnsafeApi.freeMemory(allocation);
    }
}
