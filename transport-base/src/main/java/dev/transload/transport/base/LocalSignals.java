/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.SignalRegion;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.agrona.UnsafeApi;

/**
 * Signals of this rank. Peers add to signals directly in the memory that {@link #getAcquire} reads, so the transport
 * keeps no separate copy of the signals in host memory.
 */
public final class LocalSignals implements SignalRegion, OwnMemory
{
    private final RegionTable table;
    private final int count;
    private final SharedMemory memory;
    private final long address;
    private final ByteBuffer descriptor;
    private volatile boolean open = true;

    /**
     * Creates signals over memory.
     *
     * @param table      table of the transport; closing the signals removes them from the table.
     * @param count      number of signals.
     * @param memory     zeroed memory of {@link RegionDescriptor#SIGNAL_STRIDE} bytes per signal.
     * @param descriptor descriptor for peers.
     */
    public LocalSignals(
        final RegionTable table, final int count, final SharedMemory memory, final ByteBuffer descriptor)
    {
        this.table = table;
        this.count = count;
        this.memory = memory;
        this.address = memory.address();
        this.descriptor = descriptor;
    }

    @Override
    public int count()
    {
        return count;
    }

    @Override
    public long getAcquire(final int index)
    {
        Objects.checkIndex(index, count);
        if (!open)
        {
            throw new IllegalStateException("the signals are closed: nobody adds to them any more");
        }

        final long value = UnsafeApi.getLongAcquire(null, address + (long)index * RegionDescriptor.SIGNAL_STRIDE);
        // Any thread may be here while another one closes: the memory lasts as long as this object is in use.
        Reference.reachabilityFence(this);
        return value;
    }

    @Override
    public ByteBuffer descriptor()
    {
        return descriptor.duplicate();
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

    @Override
    public long address()
    {
        return address;
    }

    /**
     * Returns the memory of the signals.
     *
     * @return memory of the signals.
     */
    public SharedMemory memory()
    {
        return memory;
    }

    /** Only the table calls it, once. */
    void markClosed()
    {
        open = false;
    }
}
