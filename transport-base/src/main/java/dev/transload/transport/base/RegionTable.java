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
 * The regions and signals of a transport that are open, by id. Its lock is held while inbound operations are applied,
 * so that no memory goes away under one.
 */
public final class RegionTable
{
    private final ReentrantLock lock = new ReentrantLock();
    private final Int2ObjectHashMap<Target> targets = new Int2ObjectHashMap<>();
    private final Set<LocalRegion> regions = new LinkedHashSet<>();
    private final Set<LocalSignals> signals = new LinkedHashSet<>();
    private final AtomicInteger nextId = new AtomicInteger(1);

    /**
     * What an inbound operation may address.
     *
     * @param kind    {@link RegionDescriptor#REGION} or {@link RegionDescriptor#SIGNALS}.
     * @param address of the first byte.
     * @param length  in bytes, or number of signals.
     * @param owner   whose closing ends it.
     */
    public record Target(int kind, long address, long length, OwnMemory owner)
    {
    }

    /** Empty. */
    public RegionTable()
    {
    }

    /**
     * Held while inbound operations are applied.
     *
     * @return the lock.
     */
    public ReentrantLock lock()
    {
        return lock;
    }

    /**
     * An id that no other memory of the transport has.
     *
     * @return positive.
     */
    public int nextId()
    {
        return nextId.getAndIncrement();
    }

    /**
     * Keep a region until it is closed.
     *
     * @param id     by which peers address it, 0 for a region that they do not address.
     * @param region that is open.
     * @return the region.
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
     * Keep signals until they are closed.
     *
     * @param id    by which peers address them.
     * @param added signals that are open.
     * @return the signals.
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
     * What an id stands for; the lock must be held.
     *
     * @param id of a region or signals.
     * @return the target, or null when it is closed or never was.
     */
    public Target target(final int id)
    {
        return targets.get(id);
    }

    /**
     * The memory of this rank that a descriptor of this rank stands for.
     *
     * @param descriptor of this transport.
     * @return the memory.
     * @throws IllegalArgumentException when it is closed.
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

    /** Closes all that is open, signals first. */
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
