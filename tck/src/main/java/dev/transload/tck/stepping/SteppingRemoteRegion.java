/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;

/** A peer's region as one worker imported it. */
final class SteppingRemoteRegion implements RemoteRegion
{
    private final SteppingWorker worker;
    private final Descriptors descriptor;
    private final SteppingWindow window;
    private boolean closed;

    /** Of a region, which is null where none is reached in place. */
    SteppingRemoteRegion(final SteppingWorker worker, final Descriptors descriptor, final SteppingRegion inPlace)
    {
        this.worker = worker;
        this.descriptor = descriptor;
        this.window = null == inPlace ? null : SteppingWindow.of(this, inPlace);
    }

    @Override
    public int peer()
    {
        return descriptor.rank();
    }

    @Override
    public long length()
    {
        return descriptor.length();
    }

    @Override
    public MemoryRegion window()
    {
        return window;
    }

    @Override
    public void close()
    {
        closed = true;
    }

    Descriptors descriptor()
    {
        return descriptor;
    }

    boolean isClosed()
    {
        return closed || worker.isClosed();
    }

    void check(final SteppingChannel channel, final String what, final long offset, final long bytes)
    {
        worker.checkImport(channel, what, descriptor.rank(), closed);
        if (offset < 0 || bytes < 0 || offset > length() - bytes)
        {
            throw new IndexOutOfBoundsException(what + ": offset " + offset + " and length " + bytes +
                " must lie in [0, " + length() + "] of the region of rank " + peer());
        }
    }

    SteppingWorker worker()
    {
        return worker;
    }
}
