/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import java.util.List;

/** A region of a peer that is not touched. */
final class PlainImport extends Import implements RemoteRegion
{
    private final List<String> events;

    PlainImport(
        final AbstractWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final List<String> events)
    {
        super(worker, descriptor, own, 0);
        this.events = events;
    }

    @Override
    public long length()
    {
        return extent();
    }

    @Override
    public MemoryRegion window()
    {
        return windowOver(new CallerMemory(address()));
    }

    @Override
    protected void onRelease()
    {
        events.add("released import " + id());
    }
}
