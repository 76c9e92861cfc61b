/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Channel;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverLossTest
{
    @TempDir
    private Path directory;

    private final List<TransportException> failures = new CopyOnWriteArrayList<>();

    private Transport open(final int rank, final String dataPath)
    {
        return new AeronTransportProvider().open(TransportConfig.builder().rank(rank).worldSize(2)
            .livenessTimeoutNs(5_000_000_000L).errorHandler(failures::add)
            .options(Map.of("data-path", dataPath, "aeron-dir", directory.resolve("aeron").toString())).build());
    }

    @Test
    void shouldFailAllChannelsWhenTheExternalDriverIsGone()
    {
        final MediaDriver driver = MediaDriver.launch(new MediaDriver.Context()
            .aeronDirectoryName(directory.resolve("aeron").toString())
            .threadingMode(ThreadingMode.SHARED)
            .dirDeleteOnShutdown(true)
            .errorHandler((ex) -> {}));
        try (Transport first = open(0, "auto"); Transport second = open(1, "auto"))
        {
            final Worker worker = first.openWorker(0);
            final Worker peer = second.openWorker(0);
            final Channel channel = worker.connect(1, 1, peer.address());
            new Ranks.Operations(worker, channel).connect();
            driver.close();
            Await.until(() -> worker.progress() >= 0 && null != channel.failure() && 2 == failures.size());
            assertTrue(channel.failure().getMessage().contains("rank 1"), channel.failure().getMessage());
            assertEquals(Channel.FAILED, channel.fence());
        }
        finally
        {
            driver.close();
        }
    }
}
