/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/** Region over a direct buffer at a page, as a transport would allocate it; the collector frees it. */
final class BufferRegion implements MemoryRegion
{
    private static final int PAGE_BYTES = 4096;

    private final ByteBuffer memory;

    BufferRegion(final int length)
    {
        memory = ByteBuffer.allocateDirect(length + 2 * PAGE_BYTES).alignedSlice(PAGE_BYTES).slice(0, length)
            .order(ByteOrder.nativeOrder());
    }

    ByteBuffer memory()
    {
        return memory;
    }

    @Override
    public MemoryKind kind()
    {
        return MemoryKind.HOST;
    }

    @Override
    public int device()
    {
        return 0;
    }

    @Override
    public Access access()
    {
        return Access.LOCAL;
    }

    @Override
    public long length()
    {
        return memory.capacity();
    }

    @Override
    public long address()
    {
        return BufferUtil.address(memory);
    }

    @Override
    public ByteBuffer descriptor()
    {
        throw new IllegalStateException("LOCAL region has no descriptor");
    }

    @Override
    public ByteBuffer hostView(final long offset, final int length)
    {
        return memory.slice(Math.toIntExact(offset), length).order(ByteOrder.nativeOrder());
    }

    @Override
    public void close()
    {
        // The buffer is the collector's.
    }
}
