/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

@NeedsUcx
class RoomTest
{
    private static final int MAX_OPERATIONS = 8;
    private static final int PUTS = 100;
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);

    /** UCX is done with a put into mapped memory at once; a flush that is begun in time says so. */
    @Test
    void shouldGetRoomBackWithoutProgressWhereUcxIsDoneAtOnce()
    {
        try (Transport own = open(0); Transport peer = open(1))
        {
            final Worker worker = own.openWorker(0);
            final Worker peerWorker = peer.openWorker(0);
            final MemoryRegion source = own.allocate(MemoryKind.HOST, 0, Long.BYTES, Access.LOCAL);
            final MemoryRegion target = peer.allocate(MemoryKind.HOST, 0, (long)PUTS * Long.BYTES, Access.REMOTE);
            source.hostView(0, Long.BYTES).putLong(0, 1);
            final Channel channel = worker.connect(1, 1, peerWorker.address());
            await(channel::isConnected, worker, peerWorker);
            final RemoteRegion remote = worker.importRegion(1, target.descriptor());
            // The first operations connect the endpoint.
            await(() -> channel.put(source, 0, remote, 0, Long.BYTES) > 0, worker, peerWorker);
            await(() -> channel.flush() > 0, worker, peerWorker);
            await(() -> channel.deliveredPosition() == channel.position(), worker, peerWorker);

            final long before = channel.position();
            for (int i = 0; i < PUTS; i++)
            {
                assertEquals(before + 1 + i, channel.put(source, 0, remote, (long)i * Long.BYTES, Long.BYTES));
                assertTrue(channel.deliveredPosition() > channel.position() - MAX_OPERATIONS);
            }

            await(() -> channel.flush() > 0, worker, peerWorker);
            await(() -> channel.deliveredPosition() == channel.position(), worker, peerWorker);
            for (int i = 0; i < PUTS; i++)
            {
                assertEquals(1, target.hostView(0, PUTS * Long.BYTES).getLong(i * Long.BYTES));
            }
        }
    }

    private static Transport open(final int rank)
    {
        return new UcxTransportProvider().open(TransportConfig.builder().rank(rank).worldSize(2).options(Map.of(
            "tls", "posix,self", "direct", "never", "max-operations", Integer.toString(MAX_OPERATIONS))).build());
    }

    private static void await(final BooleanSupplier condition, final Worker... workers)
    {
        final long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean())
        {
            for (final Worker worker : workers)
            {
                worker.progress();
            }

            assertTrue(System.nanoTime() - deadlineNs < 0, "nothing came of it in time");
        }
    }
}
