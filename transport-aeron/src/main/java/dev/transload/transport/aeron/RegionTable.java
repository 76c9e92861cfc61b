/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The regions and signals of a transport that are open, by id. Its lock is held while inbound operations are applied,
 * so that no memory goes away under one.
 */
final class RegionTable
{
    private final ReentrantLock lock = new ReentrantLock();
    private final Int2ObjectHashMap<Target> targets = new Int2ObjectHashMap<>();
    private final Set<LocalRegion> regions = new LinkedHashSet<>();
    private final Set<LocalSignals> signals = new LinkedHashSet<>();

    /**
     * What an inbound operation may address.
     *
     * @param kind    {@link Descriptor#REGION} or {@link Descriptor#SIGNALS}.
     * @param address of the first byte.
     * @param length  in bytes, or number of signals.
     * @param owner   whose closing ends it.
     */
    record Target(int kind, long address, long length, OwnMemory owner)
    {
    }

    ReentrantLock lock()
    {
        return lock;
    }

    void add(final int id, final LocalRegion region)
    {
        lock.lock();
        try
        {
            regions.add(region);
            if (0 != id)
            {
                targets.put(id, new Target(Descriptor.REGION, region.address(), region.length(), region));
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    void add(final int id, final LocalSignals added)
    {
        lock.lock();
        try
        {
            signals.add(added);
            targets.put(id, new Target(Descriptor.SIGNALS, added.address(), added.count(), added));
        }
        finally
        {
            lock.unlock();
        }
    }

    /** What an id stands for, or null; the lock must be held. */
    Target target(final int id)
    {
        return targets.get(id);
    }

    /** The memory of this rank that a descriptor of this rank stands for. */
    OwnMemory own(final Descriptor descriptor)
    {
        lock.lock();
        try
        {
            final Target target = targets.get(descriptor.id());
            if (null == target || target.kind() != descriptor.kind())
            {
                throw new IllegalArgumentException("descriptor: " + descriptor.fileName() + " of this rank is closed");
            }

            return target.owner();
        }
        finally
        {
            lock.unlock();
        }
    }

    void close(final LocalRegion region)
    {
        if (remove(region))
        {
            region.memory().free();
        }
    }

    void close(final LocalSignals closed)
    {
        if (remove(closed))
        {
            // Freed with the last reference, since any thread may be reading.
            closed.memory().abandon();
        }
    }

    void closeAll()
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
