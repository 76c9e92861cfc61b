/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import dev.transload.tck.processes.ProcessesFixture;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * What opening memory of another process says when that process has closed the region, and when it has closed all.
 *
 * @param ofARegion    refusal of a region that was closed.
 * @param afterwards   bytes of the peer's next region, once opened: the device goes on.
 * @param ofATransport refusal of a region whose transport was closed.
 */
record StaleHandles(String ofARegion, long afterwards, String ofATransport)
{
    /** Of a size at which drivers give an allocation a block of its own, so that its end is the block's. */
    static final long BYTES = 4 << 20;

    /** With the option {@code device} both ranks use that one, else each has its own. */
    static StaleHandles see(final Map<String, String> options)
    {
        final int device = Integer.parseInt(options.getOrDefault("device", "1"));
        try (ProcessesFixture fixture = new ProcessesFixture(NvlinkTransportProvider.class, options);
            Transport own = open(fixture, 0))
        {
            final Worker worker = own.openWorker(0);
            final String ofARegion;
            final long afterwards;
            final ByteBuffer last;
            try (Transport other = open(fixture, 1))
            {
                final MemoryRegion closed = allocate(other, device);
                final ByteBuffer descriptor = closed.descriptor();
                closed.close();
                ofARegion = refusal(worker, descriptor);
                try (RemoteRegion next = worker.importRegion(1, allocate(other, device).descriptor()))
                {
                    afterwards = next.length();
                }

                last = allocate(other, device).descriptor();
            }

            return new StaleHandles(ofARegion, afterwards, refusal(worker, last));
        }
    }

    private static Transport open(final ProcessesFixture fixture, final int rank)
    {
        return fixture.provider().open(TransportConfig.builder().rank(rank).worldSize(2).incarnation(1)
            .options(fixture.options(rank)).build());
    }

    private static MemoryRegion allocate(final Transport transport, final int device)
    {
        return transport.allocate(MemoryKind.CUDA, device, BYTES, Access.REMOTE);
    }

    private static String refusal(final Worker worker, final ByteBuffer descriptor)
    {
        try (RemoteRegion opened = worker.importRegion(1, descriptor))
        {
            return "opened " + opened.length() + " bytes";
        }
        catch (final TransportUnavailableException ex)
        {
            return ex.getMessage();
        }
    }
}
