/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/** Zeroed memory of this process that the garbage collector frees. */
public final class BufferMemory implements SharedMemory
{
    private static final int ALIGNMENT = 64;

    private final ByteBuffer buffer;

    /**
     * Allocates memory.
     *
     * @param length length in bytes, at most 2 GiB minus one page.
     */
    public BufferMemory(final long length)
    {
        buffer = BufferUtil.allocateDirectAligned((int)length, ALIGNMENT);
    }

    @Override
    public long address()
    {
        return BufferUtil.address(buffer);
    }

    @Override
    public ByteBuffer view(final long offset, final int length)
    {
        return buffer.slice((int)offset, length).order(ByteOrder.nativeOrder());
    }

    @Override
    public void free()
    {
        abandon();
    }

    @Override
    public void abandon()
    {
        // Nothing to do but to be forgotten.
    }
}
