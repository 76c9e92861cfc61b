/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
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
import org.agrona.BufferUtil;

/** A rank in a JVM of its own, told line by line on its standard input what to do, answering line by line. */
final class RankMain
{
    static final int LENGTH = 1 << 21;
    static final int SIGNALS = 4;

    private final Transport transport;
    private final Worker worker;
    private final ByteBuffer own = BufferUtil.allocateDirectAligned(LENGTH, 64);
    private final MemoryRegion allocated;
    private final MemoryRegion registered;
    private final SignalRegion signals;

    private RankMain(final Transport transport)
    {
        this.transport = transport;
        worker = transport.openWorker(0);
        allocated = transport.allocate(MemoryKind.HOST, 0, LENGTH, Access.REMOTE);
        registered = transport.register(MemoryKind.HOST, 0, BufferUtil.address(own), LENGTH, Access.REMOTE);
        signals = transport.allocateSignals(SIGNALS, 1);
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

        final TransportConfig config = TransportConfig.builder().rank(Integer.parseInt(args[0])).worldSize(8)
            .livenessTimeoutNs(Long.parseLong(args[1]) * 1_000_000).options(options).build();
        try (Transport transport = new UcxTransportProvider().open(config))
        {
            new RankMain(transport).serve();
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

    private void serve() throws IOException
    {
        say(hex(worker.address()) + " " + hex(allocated.descriptor()) + " " + hex(registered.descriptor()) + " " +
            hex(signals.descriptor()));
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        String line = in.readLine();
        while (null != line && !"quit".equals(line))
        {
            final String[] words = line.split(" ");
            switch (words[0])
            {
                case "watch" -> watch("registered".equals(words[1]) ? registered : allocated,
                    Integer.parseInt(words[2]), Integer.parseInt(words[3]), Long.parseLong(words[4]));
                case "flood" -> flood(Integer.parseInt(words[1]), bytes(words[2]), bytes(words[3]));
                case "seen" -> say(signals.getAcquire(0) + " " + allocated.hostView(0, Long.BYTES).getLong(0) + " " +
                    registered.hostView(0, Long.BYTES).getLong(0));
                default -> say("what?");
            }

            line = in.readLine();
        }
    }

    /** Another thread looks, this one carries out what the peer asks for. */
    private void watch(final MemoryRegion data, final int slots, final int slotLength, final long rounds)
    {
        final SlotObserver observer = new SlotObserver(data, signals, slots, slotLength, rounds);
        observer.start();
        say("watching");
        // It has a deadline of its own.
        while (observer.isAlive())
        {
            if (0 == worker.progress())
            {
                Thread.yield();
            }
        }

        say(observer.found());
    }

    /** Put to a peer until it, or the channel to it, is no more. */
    private void flood(final int peer, final ByteBuffer address, final ByteBuffer descriptor)
    {
        final Channel channel = worker.connect(peer, 1, address);
        Operations.connect(worker, channel);
        final RemoteRegion remote = worker.importRegion(peer, descriptor);
        say("flooding");
        Await.until(() ->
        {
            worker.progress();
            return channel.put(registered, 0, remote, 0, LENGTH / 4) < 0 && null != channel.failure();
        });
        say(channel.failure().getMessage());
    }
}
