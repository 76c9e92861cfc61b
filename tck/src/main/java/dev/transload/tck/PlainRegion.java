/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/**
 * Memory of no transport, as an application might bring it.
 *
 * @param kind    of the memory.
 * @param device  that owns it.
 * @param length  in bytes.
 * @param address of the first byte.
 * @param host    the bytes, null for memory into which the JVM cannot look.
 * @param onClose gives it back.
 */
public record PlainRegion(
    MemoryKind kind, int device, long length, long address, ByteBuffer host, Runnable onClose) implements MemoryRegion
{
    private static final int PAGE = 4096;

    /**
     * Whole pages of the JVM's, which no device knows.
     *
     * @param bytes to begin with.
     * @return region of their length.
     */
    public static MemoryRegion host(final byte[] bytes)
    {
        final int length = (bytes.length + PAGE - 1) / PAGE * PAGE;
        final ByteBuffer memory =
            BufferUtil.allocateDirectAligned(length, PAGE).order(ByteOrder.nativeOrder()).put(0, bytes);
        return new PlainRegion(MemoryKind.HOST, 0, bytes.length, BufferUtil.address(memory), memory, () -> {});
    }

    @Override
    public Access access()
    {
        return Access.LOCAL;
    }

    @Override
    public ByteBuffer descriptor()
    {
        throw new IllegalStateException("the region is LOCAL: only REMOTE regions have a descriptor");
    }

    @Override
    public ByteBuffer hostView(final long offset, final int viewLength)
    {
        if (null == host)
        {
            throw new UnsupportedOperationException("the region has " + kind + " memory: the JVM cannot look into it");
        }

        return host.slice((int)offset, viewLength).order(host.order());
    }

    @Override
    public void close()
    {
        onClose.run();
    }
}
