/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/** Memory of a rank, or memory that another network's region owns. */
final class LoopbackRegion implements MemoryRegion
{
    private final MemoryKind kind;
    private final ByteBuffer memory;
    private final UnsafeBuffer buffer;
    private final LoopbackRegion asHost;
    private final Access access;
    private final ByteBuffer descriptor;

    LoopbackRegion(
        final LoopbackNetwork network, final MemoryKind kind, final ByteBuffer memory, final Access access)
    {
        this.kind = kind;
        this.memory = memory;
        this.asHost = kind.isHost() ? this : new LoopbackRegion(network, MemoryKind.HOST, memory, Access.LOCAL);
        this.buffer = new UnsafeBuffer(memory);
        this.access = access;
        this.descriptor = Access.REMOTE == access ? network.export(this) : null;
    }

    LoopbackRegion(final MemoryKind kind, final long address, final int length)
    {
        this.kind = kind;
        this.memory = null;
        this.asHost = this;
        this.buffer = new UnsafeBuffer(address, length);
        this.access = Access.LOCAL;
        this.descriptor = null;
    }

    /** The same bytes for host row kernels. */
    LoopbackRegion asHost()
    {
        return asHost;
    }

    /** The same bytes as a peer sees them. */
    LoopbackRegion window()
    {
        return new LoopbackRegion(null, kind, memory, Access.LOCAL);
    }

    UnsafeBuffer buffer()
    {
        return buffer;
    }

    @Override
    public MemoryKind kind()
    {
        return kind;
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
        return buffer.capacity();
    }

    @Override
    public long address()
    {
        return buffer.addressOffset();
    }

    @Override
    public ByteBuffer descriptor()
    {
        if (null == descriptor)
        {
            throw new IllegalStateException("a LOCAL region has no descriptor");
        }

        return descriptor;
    }

    @Override
    public ByteBuffer hostView(final long offset, final int length)
    {
        if (null == memory)
        {
            throw new UnsupportedOperationException("registered memory is looked into where it was allocated");
        }

        return memory.slice(Math.toIntExact(offset), length).order(ByteOrder.nativeOrder());
    }

    @Override
    public void close()
    {
        // The memory is the collector's.
    }
}
