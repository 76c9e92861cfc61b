/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

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
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** A rank in a JVM of its own, told line by line on its standard input what to do, answering line by line. */
final class RankMain
{
    static final int LENGTH = 1 << 20;

    private RankMain()
    {
    }

    /**
     * Run.
     *
     * @param args rank, liveness timeout in ms, then options as key=value.
     * @throws IOException when the parent is gone.
     */
    public static void main(final String[] args) throws IOException
    {
        final Map<String, String> options = new HashMap<>();
        for (int i = 2; i < args.length; i++)
        {
            options.put(args[i].substring(0, args[i].indexOf('=')), args[i].substring(args[i].indexOf('=') + 1));
        }

        final TransportConfig config = TransportConfig.builder().rank(Integer.parseInt(args[0])).worldSize(64)
            .livenessTimeoutNs(Long.parseLong(args[1]) * 1_000_000).options(options).build();
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        try (Transport transport = new AeronTransportProvider().open(config))
        {
            final MemoryRegion region = transport.allocate(MemoryKind.HOST, 0, LENGTH, Access.REMOTE);
            final MemoryRegion source = transport.allocate(MemoryKind.HOST, 0, LENGTH, Access.LOCAL);
            final SignalRegion signals = transport.allocateSignals(4, 8);
            final Worker worker = transport.openWorker(0);
            say(hex(transport.peerInfo()) + " " + hex(worker.address()) + " " + hex(region.descriptor()) + " " +
                hex(signals.descriptor()));
            Channel channel = null;
            RemoteRegion remote = null;
            RemoteSignals remoteSignals = null;
            String line = in.readLine();
            while (null != line && !"quit".equals(line))
            {
                final String[] words = line.split(" ");
                switch (words[0])
                {
                    case "connect" ->
                    {
                        final int peer = Integer.parseInt(words[1]);
                        final Channel opened = worker.connect(peer, 1, bytes(words[2]));
                        Await.until(() -> worker.progress() >= 0 && (opened.isConnected() || null != opened.failure()));
                        channel = opened;
                        remote = worker.importRegion(peer, bytes(words[3]));
                        remoteSignals = worker.importSignals(peer, bytes(words[4]));
                        say(opened.isConnected() ? "connected" : "failed " + opened.failure().getMessage());
                    }
                    case "put" ->
                    {
                        source.hostView(0, LENGTH).putLong(0, Long.parseLong(words[1]));
                        final Ranks.Operations operations = new Ranks.Operations(worker, channel);
                        operations.putFenceAdd(source, remote, remoteSignals, 0);
                        say("done");
                    }
                    case "seen" -> say(signals.getAcquire(0) + " " + region.hostView(0, Long.BYTES).getLong(0));
                    default -> say("what?");
                }

                line = in.readLine();
            }
        }

        say("bye");
    }

    static String hex(final ByteBuffer buffer)
    {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    static ByteBuffer bytes(final String hex)
    {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }

    private static void say(final String line)
    {
        System.out.println(line);
        System.out.flush();
    }
}
