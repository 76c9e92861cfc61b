/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/** Region over a direct buffer; once closed it refuses to say where it was. */
final class BufferRegion implements MemoryRegion
{
    private final ByteBuffer memory;
    private boolean closed;

    BufferRegion(final int length)
    {
        this(ByteBuffer.allocateDirect(length));
    }

    private BufferRegion(final ByteBuffer memory)
    {
        this.memory = memory.order(ByteOrder.nativeOrder());
    }

    static BufferRegion of(final byte[] bytes)
    {
        final BufferRegion region = new BufferRegion(bytes.length);
        region.memory.put(0, bytes);
        return region;
    }

    ByteBuffer memory()
    {
        return memory;
    }

    byte[] bytes()
    {
        final byte[] bytes = new byte[memory.capacity()];
        memory.get(0, bytes);
        return bytes;
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
        if (closed)
        {
            throw new IllegalStateException("region is closed");
        }

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
        if (closed)
        {
            throw new IllegalStateException("region is closed");
        }

        return memory.slice(Math.toIntExact(offset), length).order(ByteOrder.nativeOrder());
    }

    @Override
    public void close()
    {
        closed = true;
    }
}
