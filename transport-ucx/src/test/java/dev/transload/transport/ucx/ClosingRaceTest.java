/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A transport is closed while the thread of a worker connects, imports, puts and closes: a crash ends this JVM. */
@NeedsUcx
class ClosingRaceTest
{
    private static final int ROUNDS = 60;

    @ParameterizedTest
    @ValueSource(strings = {"posix,self", "tcp"})
    void shouldCloseUnderAWorkerThatIsBusy(final String tls) throws InterruptedException
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            final Map<String, String> options = Map.of("tls", tls, "direct", "never");
            final TransportConfig config = TransportConfig.builder().options(options).build();
            final UcxTransport transport = UcxTransport.open(config, UcxOptions.of(config), null);
            final MemoryRegion region = transport.allocate(MemoryKind.HOST, 0, 1 << 16, Access.REMOTE);
            final CountDownLatch busy = new CountDownLatch(3);
            final AtomicReference<Throwable> end = new AtomicReference<>();
            final Thread owner = new Thread(() -> use(transport, region, busy, end));
            owner.start();
            busy.await();
            transport.close();
            owner.join();
            assertFalse(transport.isOpen(0));
            // The worker is closed, or its region was just before.
            assertTrue(end.get() instanceof IllegalStateException || end.get() instanceof IllegalArgumentException,
                () -> "ended by " + end.get());
        }
    }

    private static void use(
        final UcxTransport transport,
        final MemoryRegion region,
        final CountDownLatch busy,
        final AtomicReference<Throwable> end)
    {
        try
        {
            final Worker worker = transport.openWorker(0);
            while (true)
            {
                final Channel channel = worker.connect(0, 1, worker.address());
                final RemoteRegion remote = worker.importRegion(0, region.descriptor());
                for (int i = 0; i < 2; i++)
                {
                    channel.put(region, 0, remote, 1 << 15, 1 << 12);
                    worker.progress();
                }

                remote.close();
                channel.close();
                busy.countDown();
            }
        }
        catch (final RuntimeException ex)
        {
            end.set(ex);
        }
    }
}
