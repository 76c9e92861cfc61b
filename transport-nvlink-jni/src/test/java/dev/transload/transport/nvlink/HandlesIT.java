/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.Worker;
import dev.transload.tck.processes.ProcessesFixture;
import org.junit.jupiter.api.Test;

/** Memory of another process. */
class HandlesIT
{
    @Test
    void shouldRefuseAHandleWhoseMemoryIsGone()
    {
        final StaleHandles seen = StaleHandles.see(Emulator.options());
        for (final String refusal : new String[] { seen.ofARegion(), seen.ofATransport() })
        {
            assertTrue(refusal.startsWith("transport nvlink cannot open region-"), refusal);
            assertTrue(refusal.contains("the region is closed, the rank is gone"), refusal);
        }

        assertEquals(StaleHandles.BYTES, seen.afterwards());
    }

    @Test
    void shouldImportMemoryAsOftenAsItIsAskedFor()
    {
        try (ProcessesFixture fixture = new ProcessesFixture(NvlinkTransportProvider.class, Emulator.options());
            Transport own = StaleHandles.open(fixture, 0);
            Transport other = StaleHandles.open(fixture, 1))
        {
            final MemoryRegion region = StaleHandles.allocate(other);
            final Worker one = own.openWorker(0);
            final Worker two = own.openWorker(1);
            final long address = one.importRegion(1, region.descriptor()).window().address();
            assertEquals(address, two.importRegion(1, region.descriptor()).window().address());
            one.close();
            assertEquals(address, two.importRegion(1, region.descriptor()).window().address());
        }
    }
}
