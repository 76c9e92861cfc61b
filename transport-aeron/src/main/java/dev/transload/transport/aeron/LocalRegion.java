/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Memory of this rank. */
final class LocalRegion implements MemoryRegion, OwnMemory
{
    private final RegionTable table;
    private final Access access;
    private final long length;
    private final RegionMemory memory;
    private final long address;
    private final ByteBuffer descriptor;
    private volatile boolean open = true;

    /**
     * Over memory.
     *
     * @param table      of the transport, which is told of the end.
     * @param access     who may address it.
     * @param length     in bytes.
     * @param memory     of at least that length.
     * @param descriptor for peers, null for LOCAL regions.
     */
    LocalRegion(
        final RegionTable table,
        final Access access,
        final long length,
        final RegionMemory memory,
        final ByteBuffer descriptor)
    {
        this.table = table;
        this.access = access;
        this.length = length;
        this.memory = memory;
        this.address = memory.address();
        this.descriptor = descriptor;
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
        return access;
    }

    @Override
    public long length()
    {
        return length;
    }

    @Override
    public long address()
    {
        return address;
    }

    @Override
    public ByteBuffer descriptor()
    {
        if (null == descriptor)
        {
            throw new IllegalStateException("the region is LOCAL: only REMOTE regions have a descriptor");
        }

        return descriptor.duplicate();
    }

    @Override
    public ByteBuffer hostView(final long offset, final int viewLength)
    {
        if (!open)
        {
            throw new IllegalStateException("the region is closed: there is nothing to view");
        }

        Objects.checkFromIndexSize(offset, viewLength, length);
        return memory.view(offset, viewLength);
    }

    @Override
    public void close()
    {
        table.close(this);
    }

    @Override
    public boolean isOpen()
    {
        return open;
    }

    boolean belongsTo(final RegionTable other)
    {
        return table == other;
    }

    RegionMemory memory()
    {
        return memory;
    }

    /** Only the table calls it, once. */
    void markClosed()
    {
        open = false;
    }
}
