/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/** Creates direct buffers over native memory at a given address. */
public final class AddressView
{
    private static final long CAPACITY_OFFSET = UnsafeApi.objectFieldOffset(Buffer.class, "capacity");

    /** Whose duplicates have no cleaner, so that nothing is freed through them. */
    private static final ByteBuffer TEMPLATE = ByteBuffer.allocateDirect(1);

    private AddressView()
    {
    }

    /**
     * Creates a buffer in native byte order. The buffer does not own the memory.
     *
     * @param address address of the first byte.
     * @param length  length in bytes.
     * @return the buffer.
     */
    public static ByteBuffer of(final long address, final int length)
    {
        final ByteBuffer buffer = TEMPLATE.duplicate();
        UnsafeApi.putLong(buffer, BufferUtil.BYTE_BUFFER_ADDRESS_FIELD_OFFSET, address);
        UnsafeApi.putInt(buffer, CAPACITY_OFFSET, length);
        buffer.clear();
        return buffer.order(ByteOrder.nativeOrder());
    }
}
