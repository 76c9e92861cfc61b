/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transport driven by hand, for tests of what the kit does not know: a rank that puts to itself. */
class MmapOwnRankTest
{
    private static final long TIMEOUT_S = 10;

    @TempDir
    private Path folder;

    @Test
    void shouldPutToItself()
    {
        final TransportConfig config = TransportConfig.builder()
            .options(Map.of("region-directory", folder.toString())).build();
        try (Transport transport = new MmapTransportProvider().open(config))
        {
            final Worker worker = transport.openWorker(0);
            final Channel channel = worker.connect(config.rank(), config.incarnation(), worker.address());
            await(worker, channel, channel::isConnected, "a connection");

            final MemoryRegion source = transport.allocate(MemoryKind.HOST, 0, 64, Access.LOCAL);
            final MemoryRegion target = transport.allocate(MemoryKind.HOST, 0, 64, Access.REMOTE);
            final RemoteRegion remote = worker.importRegion(config.rank(), target.descriptor());
            source.hostView(0, Long.BYTES).putLong(0, 7);
            await(worker, channel, () -> channel.put(source, 0, remote, 0, 64) > 0, "room for a put");
            await(worker, channel, () -> channel.flush() > 0, "room for a flush");
            await(worker, channel, () -> channel.deliveredPosition() == channel.position(), "delivery");
            assertEquals(7, target.hostView(0, Long.BYTES).getLong(0));
        }
    }

    @Test
    void shouldSayThatAnotherIncarnationIsMeant()
    {
        final TransportConfig config = TransportConfig.builder()
            .options(Map.of("region-directory", folder.toString())).build();
        try (Transport transport = new MmapTransportProvider().open(config))
        {
            final Worker worker = transport.openWorker(0);
            final Channel channel = worker.connect(config.rank(), config.incarnation() + 1, worker.address());
            final TransportException failure = assertThrows(TransportException.class,
                () -> await(worker, channel, channel::isConnected, "a connection"));
            assertTrue(failure.getMessage().contains(
                "incarnation 2 of rank 0 is meant, the address is that of incarnation 1"), failure.getMessage());
        }
    }

    /** Makes progress until it is so. Ends with the cause when the channel fails, and after ten seconds. */
    static void await(
        final Worker worker, final Channel channel, final BooleanSupplier condition, final String what)
    {
        final long beginNs = System.nanoTime();
        while (!condition.getAsBoolean())
        {
            worker.progress();
            if (null != channel.failure())
            {
                throw channel.failure();
            }

            if (System.nanoTime() - beginNs > TimeUnit.SECONDS.toNanos(TIMEOUT_S))
            {
                fail("waited " + TIMEOUT_S + " s for " + what + ": connected " + channel.isConnected() +
                    ", position " + channel.position() + ", delivered " + channel.deliveredPosition());
            }
        }
    }
}
