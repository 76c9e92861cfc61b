/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two ranks of a process that let their devices reach each other at the same time do not wait for each other. */
class DeviceLockTest
{
    @Test
    void shouldGiveTheContextOfADeviceThatIsLocked() throws Exception
    {
        final CudaDevice device = CudaDriver.open(Emulator.options().get("library")).device(0);
        synchronized (device)
        {
            // As the thread of the other device asks for it, which has that device locked.
            assertNotEquals(0L, CompletableFuture.supplyAsync(device::context).get(20, TimeUnit.SECONDS));
        }
    }
}
