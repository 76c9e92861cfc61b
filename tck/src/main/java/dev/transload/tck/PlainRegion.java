/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/**
 * Memory that belongs to no transport, such as memory of an application.
 *
 * @param kind    kind of the memory.
 * @param device  device that owns the memory, 0 for HOST.
 * @param length  length in bytes.
 * @param address address of the first byte.
 * @param host    bytes of the memory, or null if the JVM cannot access the memory.
 * @param onClose frees the memory.
 */
public record PlainRegion(
    MemoryKind kind, int device, long length, long address, ByteBuffer host, Runnable onClose) implements MemoryRegion
{
    private static final int PAGE = 4096;

    /**
     * Creates a region of host memory in this JVM that is not registered with any device. The memory consists of whole
     * pages.
     *
     * @param bytes initial content.
     * @return region whose length is the number of bytes of the content.
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
