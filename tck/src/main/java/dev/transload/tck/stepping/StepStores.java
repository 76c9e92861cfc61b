/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Words that a device has stored and nobody sees yet: they arrive one by one, in any order, whatever becomes of it. */
final class StepStores implements StepQueue
{
    private static final int NO_RANK = -1;

    private final SteppingFabric fabric;
    private final List<Store> stores = new ArrayList<>();

    /** Bytes on their way. */
    record Store(MemoryRegion region, long offset, byte[] bytes)
    {
        void run()
        {
            ((SteppingRegion)region).writeLocal(offset, bytes);
        }
    }

    StepStores(final SteppingFabric fabric)
    {
        this.fabric = fabric;
    }

    void add(final MemoryRegion region, final long offset, final long word)
    {
        stores.add(new Store(region, offset,
            ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, word).array()));
        fabric.schedule().activate(this);
    }

    @Override
    public int rank()
    {
        return NO_RANK;
    }

    @Override
    public boolean isEmpty()
    {
        return stores.isEmpty();
    }

    @Override
    public boolean isBlocked()
    {
        return false;
    }

    @Override
    public void step()
    {
        stores.remove(fabric.chance().below(stores.size())).run();
    }

    @Override
    public void kill(final int killed)
    {
        // What was stored arrives.
    }
}
