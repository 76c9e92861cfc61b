/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A transport driven by hand, for tests of what the kit does not know: a rank that puts to itself. */
@Timeout(60)
class OwnRankTest
{
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
            while (!channel.isConnected())
            {
                assertNull(channel.failure());
                worker.progress();
            }

            final MemoryRegion source = transport.allocate(MemoryKind.HOST, 0, 64, Access.LOCAL);
            final MemoryRegion target = transport.allocate(MemoryKind.HOST, 0, 64, Access.REMOTE);
            final RemoteRegion remote = worker.importRegion(config.rank(), target.descriptor());
            source.hostView(0, Long.BYTES).putLong(0, 7);
            while (channel.put(source, 0, remote, 0, 64) < 0 || channel.flush() < 0)
            {
                worker.progress();
            }

            while (channel.deliveredPosition() < channel.position())
            {
                worker.progress();
            }

            assertEquals(7, target.hostView(0, Long.BYTES).getLong(0));
        }
    }
}
