/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

/** An event as another library of the process has it. */
public final class TestEvent implements AutoCloseable
{
    private final CudaDevice device;
    private final long handle;

    public TestEvent(final CudaDevice device)
    {
        this.device = device;
        this.handle = device.value("cuEventCreate",
            CudaCalls.eventCreate(device.context(), CudaCalls.EVENT_DISABLE_TIMING));
    }

    public long handle()
    {
        return handle;
    }

    @Override
    public void close()
    {
        device.check("cuEventDestroy", CudaCalls.eventDestroy(device.context(), handle));
    }
}
