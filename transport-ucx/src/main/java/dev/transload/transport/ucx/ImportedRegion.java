/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;

/** A region of a peer. */
final class ImportedRegion extends RemoteMemory implements RemoteRegion
{
    private final UcxWorker worker;
    private final boolean mayMap;
    private MemoryRegion window;
    private boolean isWindowKnown;

    ImportedRegion(
        final UcxWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final boolean isDirect)
    {
        super(worker, descriptor, own, isDirect);
        this.worker = worker;
        this.mayMap = worker.mayMap(descriptor.owner(), setup());
    }

    @Override
    public long length()
    {
        return extent();
    }

    @Override
    public MemoryRegion window()
    {
        if (!isWindowKnown && mayMap && isOpen())
        {
            findWindow();
        }

        return window;
    }

    private void findWindow()
    {
        worker.enter();
        try
        {
            final long pointer = lastingPointer();
            window = 0 == pointer ? null : windowOver(UcxMemory.inPlace(pointer));
            isWindowKnown = true;
        }
        finally
        {
            worker.exit();
        }
    }
}
