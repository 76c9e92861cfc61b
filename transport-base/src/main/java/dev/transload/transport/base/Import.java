/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;

/** Base class of imported regions and imported signals. An import stores the owner and the address of the memory. */
public abstract class Import implements AutoCloseable
{
    private final AbstractWorker worker;
    private final RegionDescriptor descriptor;
    private final OwnMemory own;
    private final long address;
    private final Runnable release;
    private MemoryRegion window;
    private volatile boolean open = true;

    /**
     * Creates an import of a worker.
     *
     * @param worker     worker that imports the memory with {@link AbstractWorker#importMemory}.
     * @param descriptor descriptor of the memory.
     * @param own        memory to which the descriptor refers if this rank owns it, otherwise null.
     * @param address    address of the first byte in this process, or 0 if the memory is not mapped. The address is
     *                   ignored if this rank owns the memory.
     */
    protected Import(
        final AbstractWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final long address)
    {
        this(worker, descriptor, own, address, null);
    }

    /** As above; what is released is a peer's memory only, and there may be nothing to release. */
    Import(
        final AbstractWorker worker,
        final RegionDescriptor descriptor,
        final OwnMemory own,
        final long address,
        final Runnable release)
    {
        this.worker = worker;
        this.descriptor = descriptor;
        this.own = own;
        this.address = null != own ? own.address() : address;
        this.release = null != own ? null : release;
    }

    /**
     * Returns the rank that owns the memory.
     *
     * @return rank of the owner.
     */
    public final int peer()
    {
        return descriptor.owner().rank();
    }

    /**
     * Returns the ID of the memory.
     *
     * @return ID, unique within the owner's transport.
     */
    public final int id()
    {
        return descriptor.id();
    }

    /**
     * Returns the size of the memory.
     *
     * @return length in bytes if the memory is a region, number of signals if it holds signals.
     */
    public final long extent()
    {
        return descriptor.length();
    }

    /**
     * Returns the address of the memory in this process.
     *
     * @return address of the first byte, or 0 if this process does not map the memory.
     */
    public final long address()
    {
        return address;
    }

    /**
     * Returns whether the import is open. An import of memory of this rank is open only while the memory is open.
     *
     * @return true if operations may use the import.
     */
    public final boolean isOpen()
    {
        return open && (null == own || own.isOpen());
    }

    /**
     * Returns the identity of the owner's transport.
     *
     * @return identity of the owner's transport.
     */
    public final PeerIdentity owner()
    {
        return descriptor.owner();
    }

    @Override
    public final void close()
    {
        if (open)
        {
            // Bracketed as an operation: another thread that closes the transport waits until this is done.
            worker.enter();
            try
            {
                worker.forget(this);
                release();
            }
            finally
            {
                worker.exit();
            }
        }
    }

    /**
     * Returns the descriptor from which the memory was imported.
     *
     * @return descriptor.
     */
    protected final RegionDescriptor descriptor()
    {
        return descriptor;
    }

    /**
     * Returns a region over the imported memory, as mapped in this process (rules WIN-1 to WIN-6). The region is
     * created once and stays open until this import is closed.
     *
     * @param memory memory as mapped in this process; this method does not free it.
     * @return region that channels of this worker accept as a local region; null if the transport does not promise
     *         {@link Capability#WINDOWS} (rule WIN-1).
     */
    protected final MemoryRegion windowOver(final RegionMemory memory)
    {
        return windowOver(MemoryKind.HOST, 0, memory);
    }

    /**
     * Returns a region like {@link #windowOver(RegionMemory)}, for memory of any kind.
     *
     * @param kind   kind of the memory.
     * @param device device that owns the memory, 0 for {@link MemoryKind#HOST}.
     * @param memory memory as mapped in this process; this method does not free it.
     * @return region, or null if the transport does not promise {@link Capability#WINDOWS}. Every call returns the same
     *         region.
     */
    protected final MemoryRegion windowOver(final MemoryKind kind, final int device, final RegionMemory memory)
    {
        if (null == window && worker.capabilities().has(Capability.WINDOWS))
        {
            window = new Window(worker.regions(), this, kind, device, memory);
        }

        return window;
    }

    /** Frees the import's resources. This method is called once, by any thread, when no operation uses the import. */
    protected void onRelease()
    {
        if (null != release)
        {
            release.run();
        }
    }

    final boolean belongsTo(final AbstractWorker other)
    {
        return worker == other;
    }

    /** No operation on it may be under way. */
    final synchronized void release()
    {
        if (open)
        {
            open = false;
            onRelease();
        }
    }
}
