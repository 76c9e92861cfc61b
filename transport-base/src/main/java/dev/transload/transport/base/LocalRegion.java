/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Region of this rank, or a window into a peer's region. */
public class LocalRegion implements MemoryRegion, OwnMemory
{
    private final RegionTable table;
    private final MemoryKind kind;
    private final int device;
    private final Access access;
    private final long length;
    private final RegionMemory memory;
    private final long address;
    private final ByteBuffer descriptor;
    private volatile boolean open = true;

    /**
     * Creates a region over memory.
     *
     * @param table      table of the transport; closing the region removes it from the table.
     * @param kind       kind of the memory.
     * @param device     device that owns the memory, 0 for {@link MemoryKind#HOST}.
     * @param access     access that peers have to the memory.
     * @param length     length in bytes.
     * @param memory     memory of at least this length.
     * @param descriptor descriptor for peers, or null for LOCAL regions.
     */
    public LocalRegion(
        final RegionTable table,
        final MemoryKind kind,
        final int device,
        final Access access,
        final long length,
        final RegionMemory memory,
        final ByteBuffer descriptor)
    {
        this.table = table;
        this.kind = kind;
        this.device = device;
        this.access = access;
        this.length = length;
        this.memory = memory;
        this.address = memory.address();
        this.descriptor = descriptor;
    }

    @Override
    public final MemoryKind kind()
    {
        return kind;
    }

    @Override
    public final int device()
    {
        return device;
    }

    @Override
    public final Access access()
    {
        return access;
    }

    @Override
    public final long length()
    {
        return length;
    }

    @Override
    public final long address()
    {
        return address;
    }

    @Override
    public final ByteBuffer descriptor()
    {
        if (null == descriptor)
        {
            throw new IllegalStateException("the region is LOCAL: only REMOTE regions have a descriptor");
        }

        return descriptor.duplicate();
    }

    @Override
    public final ByteBuffer hostView(final long offset, final int viewLength)
    {
        if (!isOpen())
        {
            throw new IllegalStateException("the region is closed: there is nothing to view");
        }

        if (!kind.isHost())
        {
            throw new UnsupportedOperationException("the region has " + kind + " memory: the JVM cannot look into it");
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

    /**
     * Returns whether the region belongs to a transport.
     *
     * @param other table of a transport.
     * @return true if the table is that of the transport to which the region belongs.
     */
    public final boolean belongsTo(final RegionTable other)
    {
        return table == other;
    }

    /**
     * Returns the memory of the region.
     *
     * @return memory of the region.
     */
    public final RegionMemory memory()
    {
        return memory;
    }

    /** Only the table calls it, once. */
    final void markClosed()
    {
        open = false;
    }
}
