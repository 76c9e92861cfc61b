/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MappedPathTest
{
    private static final int ASKED = 10_000;

    private static Transport open(final int rank)
    {
        return new AeronTransportProvider().open(TransportConfig.builder().rank(rank).worldSize(2)
            .options(Map.of("data-path", "mapped")).build());
    }

    @Test
    void shouldPutAndAddIntoThePeersMemory()
    {
        try (Transport first = open(0); Transport second = open(1))
        {
            final Worker worker = first.openWorker(0);
            final Worker peer = second.openWorker(0);
            final MemoryRegion src = first.allocate(MemoryKind.HOST, 0, 4096, Access.LOCAL);
            final MemoryRegion dst = second.allocate(MemoryKind.HOST, 0, 4096, Access.REMOTE);
            final SignalRegion signals = second.allocateSignals(3, 1);
            final Channel channel = worker.connect(1, 1, peer.address());
            Await.until(() ->
            {
                worker.progress();
                return channel.isConnected() || null != channel.failure();
            });
            src.hostView(0, 4096).putLong(8, 42);
            final RemoteRegion remote = worker.importRegion(1, dst.descriptor());
            final RemoteSignals remoteSignals = worker.importSignals(1, signals.descriptor());
            assertEquals(1, channel.put(src, 8, remote, 16, 8));
            assertEquals(2, channel.fence());
            assertEquals(3, channel.atomicAdd(remoteSignals, 2, 7));
            assertEquals(7, signals.getAcquire(2));
            assertEquals(42, dst.hostView(16, 8).getLong());
            assertTrue(channel.isConnected());
        }
    }

    /** The engine asks in every call. */
    @Test
    void shouldAllocateNothingWhenAWindowIsAskedForAgain()
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        try (Transport first = open(0); Transport second = open(1))
        {
            final MemoryRegion memory = second.allocate(MemoryKind.HOST, 0, 4096, Access.REMOTE);
            final RemoteRegion remote = first.openWorker(0).importRegion(1, memory.descriptor());
            assertSame(remote.window(), remote.window());
            final long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ASKED; i++)
            {
                remote.window();
            }

            final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertTrue(allocated < ASKED, allocated + " bytes for " + ASKED + " questions");
        }
    }
}
