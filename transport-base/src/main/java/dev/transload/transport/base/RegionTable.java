/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Open regions and signals of a transport, by ID. The lock of the table is held while inbound operations are applied.
 * Memory is removed from the table, under the same lock, before it is freed, so none is freed during an operation.
 */
public final class RegionTable
{
    private final ReentrantLock lock = new ReentrantLock();
    private final Int2ObjectHashMap<Target> targets = new Int2ObjectHashMap<>();
    private final Set<LocalRegion> regions = new LinkedHashSet<>();
    private final Set<LocalSignals> signals = new LinkedHashSet<>();
    private final AtomicInteger nextId = new AtomicInteger(1);

    /**
     * Memory that an inbound operation may access.
     *
     * @param kind    {@link RegionDescriptor#REGION} or {@link RegionDescriptor#SIGNALS}.
     * @param address address of the first byte.
     * @param length  number of bytes of a region, or number of signals.
     * @param owner   region or signals that contain the memory. This target is invalid once the owner is closed.
     */
    public record Target(int kind, long address, long length, OwnMemory owner)
    {
    }

    /** Creates an empty table. */
    public RegionTable()
    {
    }

    /**
     * Returns the lock that is held while inbound operations are applied.
     *
     * @return the lock.
     */
    public ReentrantLock lock()
    {
        return lock;
    }

    /**
     * Returns an ID that no other memory of the transport has.
     *
     * @return positive ID.
     */
    public int nextId()
    {
        return nextId.getAndIncrement();
    }

    /**
     * Adds a region, which stays in the table until it is closed.
     *
     * @param id     ID under which peers address the region, 0 if peers do not address it.
     * @param region open region.
     * @return the same region.
     */
    public LocalRegion add(final int id, final LocalRegion region)
    {
        lock.lock();
        try
        {
            regions.add(region);
            if (0 != id)
            {
                targets.put(id, new Target(RegionDescriptor.REGION, region.address(), region.length(), region));
            }

            return region;
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Adds signals, which stay in the table until they are closed.
     *
     * @param id    ID under which peers address the signals.
     * @param added open signals.
     * @return the same signals.
     */
    public LocalSignals add(final int id, final LocalSignals added)
    {
        lock.lock();
        try
        {
            signals.add(added);
            targets.put(id, new Target(RegionDescriptor.SIGNALS, added.address(), added.count(), added));
            return added;
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Returns the memory that has a given ID. The caller must hold the {@link #lock()}.
     *
     * @param id ID of a region or signals.
     * @return the target, or null if the ID is unknown or the memory is closed.
     */
    public Target target(final int id)
    {
        return targets.get(id);
    }

    /**
     * Returns the memory of this rank to which a descriptor of this rank refers.
     *
     * @param descriptor descriptor of this transport.
     * @return memory of this rank.
     * @throws IllegalArgumentException if the memory is closed.
     */
    public OwnMemory own(final RegionDescriptor descriptor)
    {
        lock.lock();
        try
        {
            final Target target = targets.get(descriptor.id());
            if (null == target || target.kind() != descriptor.kind())
            {
                throw new IllegalArgumentException("descriptor: " + descriptor.name() + " of this rank is closed");
            }

            return target.owner();
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Only the region calls it. */
    void close(final LocalRegion region)
    {
        if (remove(region))
        {
            region.memory().free();
        }
    }

    /** Only the signals call it. */
    void close(final LocalSignals closed)
    {
        if (remove(closed))
        {
            // Freed with the last reference, since any thread may be reading.
            closed.memory().abandon();
        }
    }

    /** Closes all open regions and signals, signals first. */
    public void closeAll()
    {
        final List<LocalRegion> openRegions;
        final List<LocalSignals> openSignals;
        lock.lock();
        try
        {
            openRegions = new ArrayList<>(regions);
            openSignals = new ArrayList<>(signals);
        }
        finally
        {
            lock.unlock();
        }

        openSignals.forEach(this::close);
        openRegions.forEach(this::close);
    }

    private boolean remove(final LocalRegion region)
    {
        lock.lock();
        try
        {
            region.markClosed();
            targets.values().removeIf((target) -> target.owner() == region);
            return regions.remove(region);
        }
        finally
        {
            lock.unlock();
        }
    }

    private boolean remove(final LocalSignals closed)
    {
        lock.lock();
        try
        {
            closed.markClosed();
            targets.values().removeIf((target) -> target.owner() == closed);
            return signals.remove(closed);
        }
        finally
        {
            lock.unlock();
        }
    }
}
