/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Put, fence, add, between two processes: who sees the add sees the put (rule ORD-2). The property
 * {@code test.litmus-rounds} says how often; else there are eight rounds for each of {@code test.seeds}.
 */
@NeedsUcx
class OrderLitmusIT
{
    private static final long ROUNDS = Long.getLong("test.litmus-rounds", 8 * Long.getLong("test.seeds", 300));
    private static final long LIVENESS_MS = 30_000;
    private static final int SLOTS = 64;

    /** Without a fence, this many runs may happen to be in order. */
    private static final int MAX_ATTEMPTS = 20;

    @ParameterizedTest
    @CsvSource({
        "allocated,  64,    tls posix;self",
        "allocated,  14336, tls posix;self",
        "allocated,  14336, tls posix;self direct never",
        "allocated,  14336, tls posix;self atomics ucx",
        "allocated,  14336, tls tcp",
        "registered, 64,    tls posix;self",
        "registered, 14336, tls posix;self",
        "allocated,  14336, tls sysv;self",
        "allocated,  14336, ''"})
    void shouldShowThePutToWhoSeesTheAddBehindItsFence(
        final String memory, final int slotLength, final String options)
    {
        final String[] found = run(memory, slotLength, options(options), ROUNDS, true);
        assertEquals(ROUNDS, Long.parseLong(found[0]), "adds seen");
        assertTrue(Long.parseLong(found[1]) > 0, "nothing was looked at");
        assertEquals(0, Long.parseLong(found[2]), "violations in " + found[1] + " looks");
    }

    /**
     * The put goes by messages of UCX which the peer's thread carries out, the add goes directly into shared memory:
     * only a fence keeps them in order. This shows that the litmus sees it where there is none.
     */
    @Test
    void shouldSeeAddsOvertakePutsWithoutAFence()
    {
        long violations = 0;
        for (int i = 0; i < MAX_ATTEMPTS && 0 == violations; i++)
        {
            violations = Long.parseLong(run("registered", 14_336, options("tls posix;self"), 10_000, false)[2]);
        }

        assertTrue(violations > 0, "no add overtook its put: the litmus would not see a missing fence");
    }

    private static String[] run(
        final String memory,
        final int slotLength,
        final Map<String, String> options,
        final long rounds,
        final boolean isFenced)
    {
        try (RankProcess peer = new RankProcess(1, LIVENESS_MS, options);
            Transport transport = new UcxTransportProvider().open(TransportConfig.builder().worldSize(8)
                .livenessTimeoutNs(LIVENESS_MS * 1_000_000).options(options).build()))
        {
            final Worker worker = transport.openWorker(0);
            final Operations operations =
                Operations.connect(worker, worker.connect(peer.rank(), 1, peer.address()));
            final RemoteRegion slots = worker.importRegion(
                peer.rank(), "registered".equals(memory) ? peer.registered() : peer.allocated());
            final RemoteSignals signals = worker.importSignals(peer.rank(), peer.signals());
            final MemoryRegion source =
                transport.allocate(MemoryKind.HOST, 0, (long)SLOTS * slotLength, Access.LOCAL);

            assertEquals("watching", peer.ask("watch " + memory + " " + SLOTS + " " + slotLength + " " + rounds));
            send(operations, source, slots, signals, slotLength, rounds, isFenced);
            final String[] found = peer.answer().split(" ");
            assertEquals("bye", peer.ask("quit"));
            return found;
        }
    }

    private static void send(
        final Operations operations,
        final MemoryRegion source,
        final RemoteRegion slots,
        final RemoteSignals signals,
        final int slotLength,
        final long rounds,
        final boolean isFenced)
    {
        final Channel channel = operations.channel();
        final UnsafeBuffer words = new UnsafeBuffer(source.hostView(0, SLOTS * slotLength));
        final long[] positions = new long[SLOTS];
        for (long round = 1; round <= rounds; round++)
        {
            final int slot = (int)(round % SLOTS);
            final int offset = slot * slotLength;
            if (channel.releasedPosition() < positions[slot])
            {
                operations.flush();
            }

            words.putLong(offset, round);
            words.putLong(offset + slotLength - Long.BYTES, round);
            positions[slot] = operations.accept(() -> channel.put(source, offset, slots, offset, slotLength));
            if (isFenced)
            {
                operations.accept(channel::fence);
            }

            operations.accept(() -> channel.atomicAdd(signals, 0, 1));
            operations.worker().progress();
        }

        operations.flush();
    }

    /** Keys and values in turn, between blanks; a semicolon stands for a comma. */
    private static Map<String, String> options(final String text)
    {
        final Map<String, String> options = new HashMap<>();
        final String[] words = text.isEmpty() ? new String[0] : text.replace(';', ',').split(" ");
        for (int i = 0; i < words.length; i += 2)
        {
            options.put(words[i], words[i + 1]);
        }

        return options;
    }
}
