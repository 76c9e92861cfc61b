/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Channel;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessesIT
{
    private static final long LIVENESS_MS = 2_000;

    @TempDir
    private Path drivers;

    private final List<TransportException> failures = new CopyOnWriteArrayList<>();

    private Map<String, String> options(final String dataPath)
    {
        return Map.of("data-path", dataPath, "driver-directory", drivers.toString());
    }

    private Transport open(final String dataPath)
    {
        return new AeronTransportProvider().open(TransportConfig.builder().rank(0).worldSize(8)
            .livenessTimeoutNs(LIVENESS_MS * 1_000_000).options(options(dataPath))
            .errorHandler(failures::add).build());
    }

    @ParameterizedTest
    @ValueSource(strings = {"mapped", "messages", "auto"})
    void shouldPutAndAddFromProcessToProcess(final String dataPath)
    {
        try (RankProcess first = new RankProcess(1, LIVENESS_MS, options(dataPath));
            RankProcess second = new RankProcess(2, LIVENESS_MS, options(dataPath)))
        {
            assertEquals("connected", first.connectTo(second));
            assertEquals("connected", second.connectTo(first));
            assertEquals("done", first.ask("put 77"));
            assertEquals("done", second.ask("put 88"));
            assertEquals("done", first.ask("put 99"));
            assertEquals("2 99", second.ask("seen"));
            assertEquals("1 88", first.ask("seen"));
            assertEquals("bye", first.ask("quit"));
            assertEquals("bye", second.ask("quit"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "STOP"})
    void shouldNameThePeerThatDiesOrStops(final String signal)
    {
        try (Transport transport = open("mapped");
            RankProcess peer = new RankProcess(3, LIVENESS_MS, options("mapped")))
        {
            final Path directory = Path.of(Ranks.contact(peer.peerInfo()).regionDirectory());
            final Worker worker = transport.openWorker(0);
            final Channel channel = worker.connect(3, 1, peer.address());
            new Ranks.Operations(worker, channel).connect();
            assertTrue(Files.isDirectory(directory));

            peer.signal(signal);
            Await.until(() -> null != channel.failure());
            final PeerFailedException failure = assertInstanceOf(PeerFailedException.class, channel.failure());
            assertEquals(3, failure.peer());
            assertTrue(failure.getMessage().contains("KILL".equals(signal) ? "is gone" : "no sign of life"),
                failure.getMessage());
            assertEquals(Channel.FAILED, channel.fence());
            Await.until(() -> 1 == failures.size());
            if ("KILL".equals(signal))
            {
                final Path driver = Path.of(Ranks.contact(peer.peerInfo()).driverDirectory());
                Await.until(() -> !Files.exists(directory) && !Files.exists(driver));
            }
            else
            {
                assertTrue(Files.exists(directory), "a stopped peer still owns its memory");
                peer.signal("CONT");
                assertEquals(Channel.FAILED, channel.fence());
                assertEquals("0 0", peer.ask("seen"));
                assertEquals(Channel.FAILED, channel.fence());
            }

            assertEquals(1, failures.size());
        }
    }

    @Test
    void shouldRemoveItsFilesWhenTerminated()
    {
        try (RankProcess rank = new RankProcess(5, LIVENESS_MS, options("auto")))
        {
            final AeronContact contact = Ranks.contact(rank.peerInfo());
            assertTrue(Files.isDirectory(Path.of(contact.regionDirectory())));
            assertTrue(Files.isDirectory(Path.of(contact.driverDirectory())));
            rank.signal("TERM");
            Await.until(() -> !Files.exists(Path.of(contact.regionDirectory())) &&
                !Files.exists(Path.of(contact.driverDirectory())));
        }
    }

    @Test
    void shouldReachAnotherNetworkNamespaceByUdp()
    {
        try (Namespaces namespaces = Namespaces.create())
        {
            Assumptions.assumeTrue(null != namespaces, "NOT TESTED: this user may not make network namespaces");
            try (RankProcess first = new RankProcess(namespaces.enter(0), 6, LIVENESS_MS,
                    Map.of("driver-directory", drivers.toString(), "host", Namespaces.address(0)));
                RankProcess second = new RankProcess(namespaces.enter(1), 7, LIVENESS_MS,
                    Map.of("driver-directory", drivers.toString(), "host", Namespaces.address(1))))
            {
                assertEquals("connected", first.connectTo(second));
                assertEquals("connected", second.connectTo(first));
                assertEquals("done", first.ask("put 5"));
                assertEquals("done", second.ask("put 6"));
                assertEquals("1 5", second.ask("seen"));
                assertEquals("1 6", first.ask("seen"));
                assertEquals("bye", first.ask("quit"));
                assertEquals("bye", second.ask("quit"));
            }
        }
    }

    @Test
    void shouldNotCallAnOrderlyCloseAFailure()
    {
        try (Transport transport = open("mapped");
            RankProcess peer = new RankProcess(4, LIVENESS_MS, options("mapped")))
        {
            final Worker worker = transport.openWorker(0);
            final Channel channel = worker.connect(4, 1, peer.address());
            new Ranks.Operations(worker, channel).connect();
            assertEquals("bye", peer.ask("quit"));
            Await.until(() -> null != channel.failure());
            assertTrue(channel.failure().getMessage().contains("closed its transport"));
            assertEquals(Channel.FAILED, channel.fence());
            assertTrue(failures.isEmpty());
            assertFalse(Files.exists(Path.of(Ranks.contact(peer.peerInfo()).regionDirectory())));
        }
    }
}
