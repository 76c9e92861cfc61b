/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

/** What an imported region and imported signals have in common: whose they are, and where. */
abstract class Import implements AutoCloseable
{
    private final AeronWorker worker;
    private final Descriptor descriptor;
    private final MappedFile mapping;
    private final OwnMemory own;
    private final long address;
    private volatile boolean open = true;

    /**
     * Of a worker.
     *
     * @param worker     that imports.
     * @param descriptor of the memory.
     * @param mapping    of the peer's file, or null.
     * @param own        memory of this rank, or null; with neither of the two it is reached by messages.
     */
    Import(final AeronWorker worker, final Descriptor descriptor, final MappedFile mapping, final OwnMemory own)
    {
        this.worker = worker;
        this.descriptor = descriptor;
        this.mapping = mapping;
        this.own = own;
        this.address = null != mapping ? mapping.address() : null != own ? own.address() : 0;
    }

    public final int peer()
    {
        return descriptor.identity().rank();
    }

    final int id()
    {
        return descriptor.id();
    }

    final long extent()
    {
        return descriptor.length();
    }

    final long address()
    {
        return address;
    }

    final boolean belongsTo(final AeronWorker other)
    {
        return worker == other;
    }

    final boolean isOpen()
    {
        return open && (null == own || own.isOpen());
    }

    final PeerIdentity identity()
    {
        return descriptor.identity();
    }

    @Override
    public final void close()
    {
        if (open)
        {
            worker.checkThread();
            worker.forget(this);
            release();
        }
    }

    /** Give the mapping back; no operation on it may be under way. */
    final synchronized void release()
    {
        if (open)
        {
            open = false;
            if (null != mapping)
            {
                worker.mappings().release(descriptor);
            }
        }
    }
}
