/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;

/** What an imported region and imported signals have in common: whose they are, and where. */
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
     * Of a worker.
     *
     * @param worker     that imports, by {@link AbstractWorker#importMemory}.
     * @param descriptor of the memory.
     * @param own        memory of this rank that the descriptor stands for, or null.
     * @param address    of the first byte as this process sees it, 0 where it does not, or where it is own memory.
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
     * Whose memory it is.
     *
     * @return rank.
     */
    public final int peer()
    {
        return descriptor.owner().rank();
    }

    /**
     * Number of the memory.
     *
     * @return id, unique to the owner's transport.
     */
    public final int id()
    {
        return descriptor.id();
    }

    /**
     * Size.
     *
     * @return bytes of a region, number of signals.
     */
    public final long extent()
    {
        return descriptor.length();
    }

    /**
     * Where it begins for this process.
     *
     * @return address of the first byte, or 0 where this process does not see it.
     */
    public final long address()
    {
        return address;
    }

    /**
     * Whether it may be used: open here, and at its owner where that is this rank.
     *
     * @return whether operations may use it.
     */
    public final boolean isOpen()
    {
        return open && (null == own || own.isOpen());
    }

    /**
     * Whose memory it is.
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
     * What it was imported by.
     *
     * @return descriptor.
     */
    protected final RegionDescriptor descriptor()
    {
        return descriptor;
    }

    /**
     * The imported region where this process sees it (rules WIN): made once, open as long as this import.
     *
     * @param memory as this process sees it; it is not freed.
     * @return region, which operations of this worker's channels take for one of this rank; null where the transport
     *         does not promise {@link Capability#WINDOWS} (rule WIN-1).
     */
    protected final MemoryRegion windowOver(final RegionMemory memory)
    {
        return windowOver(MemoryKind.HOST, 0, memory);
    }

    /**
     * As {@link #windowOver(RegionMemory)}, for memory of any kind.
     *
     * @param kind   of the memory.
     * @param device that owns it, 0 for {@link MemoryKind#HOST}.
     * @param memory as this process sees it; it is not freed.
     * @return region, always the same one, or null.
     */
    protected final MemoryRegion windowOver(final MemoryKind kind, final int device, final RegionMemory memory)
    {
        if (null == window && worker.capabilities().has(Capability.WINDOWS))
        {
            window = new Window(worker.regions(), this, kind, device, memory);
        }

        return window;
    }

    /** Once, when no operation on it is under way: give back what was taken for it. From any thread. */
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
