/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.RemoteSignals;

/** A peer's signals as one worker imported them. */
final class SteppingRemoteSignals implements RemoteSignals
{
    private final SteppingWorker worker;
    private final Descriptors descriptor;
    private boolean closed;

    SteppingRemoteSignals(final SteppingWorker worker, final Descriptors descriptor)
    {
        this.worker = worker;
        this.descriptor = descriptor;
    }

    @Override
    public int peer()
    {
        return descriptor.rank();
    }

    @Override
    public int count()
    {
        return (int)descriptor.length();
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

    SteppingWorker worker()
    {
        return worker;
    }

    void check(final SteppingChannel channel, final int index)
    {
        worker.checkImport(channel, "atomicAdd", descriptor.rank(), closed);
        SteppingSignals.checkIndex("atomicAdd", index, count());
    }
}
