/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A region of one stepping transport over a part of a {@link Memory}. */
class SteppingRegion implements MemoryRegion
{
    private final SteppingTransport owner;
    private final int id;
    private final Memory memory;
    private final int base;
    private final int length;
    private final Access access;
    private int inFlight;
    private volatile boolean closed;

    SteppingRegion(
        final SteppingTransport owner, final int id, final Memory memory, final int base, final int length,
        final Access access)
    {
        this.owner = owner;
        this.id = id;
        this.memory = memory;
        this.base = base;
        this.length = length;
        this.access = access;
    }

    @Override
    public final MemoryKind kind()
    {
        return memory.kind();
    }

    @Override
    public final int device()
    {
        return memory.device();
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
        return memory.address() + base;
    }

    @Override
    public final ByteBuffer descriptor()
    {
        checkOpen();
        if (Access.REMOTE != access && !owner.fabric().has(Fault.MEM_2))
        {
            throw new IllegalStateException("a LOCAL region has no descriptor: allocate it with REMOTE access");
        }

        return owner.describe(Descriptors.REGION, id, length);
    }

    @Override
    public ByteBuffer hostView(final long offset, final int viewLength)
    {
        checkOpen();
        if (!kind().isHost())
        {
            throw new UnsupportedOperationException(kind() + " memory cannot be looked into: only HOST memory can");
        }

        checkRange("hostView", offset, viewLength);
        final ByteBuffer view = memory.hostView(base + (int)offset, viewLength);
        return owner.fabric().has(Fault.MEM_3) ? view.order(ByteOrder.BIG_ENDIAN) : view;
    }

    @Override
    public void close()
    {
        synchronized (owner.fabric())
        {
            if (closed)
            {
                return;
            }

            if (inFlight > 0 && !owner.isClosing())
            {
                throw new IllegalStateException("region of rank " + owner.rank() + " is closed with " + inFlight +
                    " operations in flight on it: wait for their positions or close their channels first (CLS-3)");
            }

            closed = true;
            owner.forget(this, id);
        }
    }

    final SteppingTransport owner()
    {
        return owner;
    }

    final Memory memory()
    {
        return memory;
    }

    final int base()
    {
        return base;
    }

    boolean isClosed()
    {
        return closed;
    }

    final void enter()
    {
        inFlight++;
    }

    final void leave()
    {
        inFlight--;
    }

    final void checkOpen()
    {
        if (isClosed())
        {
            throw new IllegalStateException("region of rank " + owner.rank() + " is closed");
        }
    }

    final void checkRange(final String what, final long offset, final long bytes)
    {
        if (offset < 0 || bytes < 0 || offset > length - bytes)
        {
            throw new IndexOutOfBoundsException(what + ": offset " + offset + " and length " + bytes +
                " must lie in [0, " + length + "] of the region of rank " + owner.rank());
        }
    }

    void readLocal(final long offset, final byte[] into, final long submission)
    {
        memory.readLocal(base + (int)offset, into, submission);
    }

    void writeLocal(final long offset, final byte[] from)
    {
        memory.writeLocal(base + (int)offset, from);
    }

    final void readWire(final long offset, final byte[] into)
    {
        memory.readWire(base + (int)offset, into);
    }

    final void writeWire(final long offset, final byte[] from)
    {
        memory.writeWire(owner.network(), base + (int)offset, from);
    }

    final void addWire(final long offset, final long delta)
    {
        memory.addWire(owner.network(), base + (int)offset, delta);
    }

    final void acquire(final long submission)
    {
        memory.acquire(owner.network(), base, length, submission);
    }
}
