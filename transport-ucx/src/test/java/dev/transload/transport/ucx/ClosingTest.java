/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Channel;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ends at moments that are not the usual ones. */
@NeedsUcx
@Timeout(120)
class ClosingTest
{
    private static final long LIVENESS_NS = 500_000_000;
    private static final int PUTS = 200;

    @ParameterizedTest
    @ValueSource(strings = {"posix,self", "tcp"})
    void shouldCloseInTheErrorHandler(final String tls)
    {
        final AtomicReference<Transport> closed = new AtomicReference<>();
        final Map<String, String> options = Map.of("tls", tls);
        final Transport transport = new UcxTransportProvider().open(TransportConfig.builder().rank(5).worldSize(8)
            .livenessTimeoutNs(LIVENESS_NS).options(options)
            .errorHandler((failure) -> closed.get().close()).build());
        closed.set(transport);
        try (Rank peer = new Rank(1, options))
        {
            final Worker worker = transport.openWorker(0);
            final Channel channel = worker.connect(1, 1, peer.worker().address());
            Operations.connect(worker, channel).flush();
            ((UcxTransport)peer.transport()).halt();
            Await.until(() -> Channel.CLOSED == channel.fence());
            Await.until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch((thread) -> thread.getName().startsWith("transload-ucx-5")));
        }
    }

    /** Keys must outlive the operations that need them. */
    @ParameterizedTest
    @CsvSource({"posix;self, never", "tcp, auto"})
    void shouldFinishOperationsOnMemoryThatIsClosedMeanwhile(final String tls, final String direct)
    {
        final Map<String, String> options = Map.of("tls", tls.replace(';', ','), "direct", direct);
        try (Rank near = new Rank(0, options); Rank far = new Rank(1, options))
        {
            final Rank.Lane lane = near.lane(far);
            lane.exchange(1);
            final Operations operations = lane.operations();
            near.source().hostView(Rank.LENGTH - 8, 8).putLong(0, 55);
            for (int i = 0; i < PUTS; i++)
            {
                operations.accept(
                    () -> operations.channel().put(near.source(), 0, lane.remote(), 0, Rank.LENGTH));
            }

            lane.remote().close();
            near.lane(near.transport().openWorker(1), far, far.target()).operations().flush();
            operations.flush();
            assertEquals(55, far.target().hostView(Rank.LENGTH - 8, 8).getLong(0));
            operations.channel().close();
            assertTrue(near.worker().progress() >= 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"posix;self, never", "tcp, auto"})
    void shouldCloseEverythingWithOperationsUnderWay(final String tls, final String direct)
    {
        final Map<String, String> options = Map.of("tls", tls.replace(';', ','), "direct", direct);
        try (Rank far = new Rank(1, options))
        {
            final Rank near = new Rank(0, options);
            final Rank.Lane lane = near.lane(far);
            final Channel channel = lane.operations().channel();
            long accepted = 0;
            while (accepted >= 0 && channel.position() < PUTS)
            {
                accepted = channel.put(near.source(), 0, lane.remote(), 0, Rank.LENGTH);
            }

            near.close();
            assertEquals(Channel.CLOSED, channel.fence());
            far.lane(far).exchange(3);
        }
    }
}
