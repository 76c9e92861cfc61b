/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import dev.transload.tck.processes.ProcessesFixture;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Memory of another process. */
class HandlesIT
{
    @Test
    void shouldRefuseAHandleWhoseMemoryIsGone()
    {
        try (ProcessesFixture fixture = new ProcessesFixture(NvlinkTransportProvider.class, Emulator.options());
            Transport own = open(fixture, 0);
            Transport other = open(fixture, 1))
        {
            final Worker worker = own.openWorker(0);
            final MemoryRegion region = other.allocate(MemoryKind.CUDA, 1, Pair.BYTES, Access.REMOTE);
            final ByteBuffer descriptor = region.descriptor();
            region.close();
            final String message = assertThrows(TransportUnavailableException.class,
                () -> worker.importRegion(1, descriptor)).getMessage();
            assertTrue(message.startsWith("transport nvlink cannot open region-"), message);
            assertTrue(message.contains("the region is closed, the rank is gone"), message);
            final MemoryRegion next = other.allocate(MemoryKind.CUDA, 1, Pair.BYTES, Access.REMOTE);
            assertEquals(Pair.BYTES, worker.importRegion(1, next.descriptor()).length(), "the device afterwards");
        }
    }

    @Test
    void shouldImportMemoryAsOftenAsItIsAskedFor()
    {
        try (ProcessesFixture fixture = new ProcessesFixture(NvlinkTransportProvider.class, Emulator.options());
            Transport own = open(fixture, 0);
            Transport other = open(fixture, 1))
        {
            final MemoryRegion region = other.allocate(MemoryKind.CUDA, 1, Pair.BYTES, Access.REMOTE);
            final Worker one = own.openWorker(0);
            final Worker two = own.openWorker(1);
            final long address = one.importRegion(1, region.descriptor()).window().address();
            assertEquals(address, two.importRegion(1, region.descriptor()).window().address());
            one.close();
            assertEquals(address, two.importRegion(1, region.descriptor()).window().address());
        }
    }

    private static Transport open(final ProcessesFixture fixture, final int rank)
    {
        return fixture.provider().open(TransportConfig.builder().rank(rank).worldSize(2).incarnation(1)
            .options(fixture.options(rank)).build());
    }
}
