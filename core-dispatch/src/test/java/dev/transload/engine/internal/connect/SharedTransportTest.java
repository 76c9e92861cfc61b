/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.WrappedProvider;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A transport that several engines use: all hear of what it reports, and no two have a worker in common. */
class SharedTransportTest
{
    private static final int MAX_WORKERS = 64;

    private final LoopbackNetwork network = new LoopbackNetwork(0);
    private Consumer<TransportException> reporter;
    private final SharedTransport shared = new SharedTransport(new Reported(),
        TransportConfig.builder().rank(0).worldSize(3), Map.of(), Duration.ofSeconds(2));

    /** The loopback network, which can be told what to report. */
    private final class Reported implements WrappedProvider
    {
        @Override
        public TransportProvider whole()
        {
            return network;
        }

        @Override
        public Transport open(final TransportConfig config)
        {
            reporter = config.errorHandler();
            return network.open(config);
        }
    }

    private static TransportException dead(final int rank)
    {
        return new PeerFailedException(rank, "rank " + rank + " is dead", TransportException.NO_STATUS, null);
    }

    @Test
    void shouldTellAllEnginesWhatItReports()
    {
        final List<TransportException> first = new ArrayList<>();
        final List<TransportException> second = new ArrayList<>();
        final Consumer<TransportException> left = second::add;
        shared.subscribe(first::add);
        shared.subscribe(left);
        final TransportException one = dead(1);
        reporter.accept(one);
        shared.unsubscribe(left);
        final TransportException other = dead(2);
        reporter.accept(other);
        assertEquals(List.of(one, other), first);
        assertEquals(List.of(one), second);
    }

    @Test
    void shouldTellAnEngineThatOpensLaterWhoIsDead()
    {
        final TransportException one = dead(1);
        final TransportException broken =
            new TransportException("the driver is gone", TransportException.NO_STATUS, null);
        reporter.accept(one);
        reporter.accept(dead(1));
        reporter.accept(broken);
        final List<TransportException> late = new ArrayList<>();
        shared.subscribe(late::add);
        assertEquals(List.of(one, broken), late);
    }

    @Test
    void shouldDealOutAdjoiningWorkersThatNobodyHas()
    {
        assertEquals(0, shared.takeWorkers(4));
        assertEquals(4, shared.takeWorkers(1));
        assertEquals(5, shared.takeWorkers(2));
        shared.returnWorkers(4, 1);
        assertEquals(7, shared.takeWorkers(2));
        assertEquals(4, shared.takeWorkers(1));
        assertEquals(9, shared.takenWorkers());
        assertEquals(-1, shared.takeWorkers(MAX_WORKERS - 8));
        assertEquals(9, shared.takeWorkers(MAX_WORKERS - 9));
        assertEquals(-1, shared.takeWorkers(1));
    }

    @Test
    void shouldNameTheOptionInWhichEnginesDiffer()
    {
        shared.requireEqual(Map.of(), Duration.ofSeconds(3));
        final String message = assertThrows(ConfigurationException.class,
            () -> shared.requireEqual(Map.of("term", "1 MiB"), Duration.ofSeconds(2))).getMessage();
        assertTrue(message.contains("transload.loopback.term = 1 MiB is not allowed"), message);
        assertTrue(message.contains("opened the transport with its default"), message);
    }
}
