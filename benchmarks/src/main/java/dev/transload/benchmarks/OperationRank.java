/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;

/** One of two connected ranks: a region and signals for the other one to write to, and a channel to it. */
final class OperationRank implements AutoCloseable
{
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int LOOKS = 1 << 12;

    /** Of every rank here: none comes back. */
    static final long INCARNATION = 1;

    /** One that the other rank adds to, and one more for what the other direction needs. */
    private static final int SIGNALS = 2;

    private final int peer;
    private final Transport transport;
    private final Worker worker;
    private final MemoryRegion region;
    private final SignalRegion signals;
    private Channel channel;
    private RemoteRegion remote;
    private RemoteSignals remoteSignals;
    private long sequence;
    private long beginNs;
    private int rounds;

    /** Not connected yet. */
    OperationRank(final int rank, final String name, final Map<String, String> options, final long bytes)
    {
        peer = 1 - rank;
        transport = TransportRegistry.discover().provider(name).open(TransportConfig.builder().rank(rank).worldSize(2)
            .options(options).build());
        worker = transport.openWorker(0);
        region = transport.allocate(MemoryKind.HOST, 0, bytes, Access.REMOTE);
        signals = transport.allocateSignals(SIGNALS, 1);
    }

    /** Two ranks of different processes meet. */
    void connect(final OperationLink link)
    {
        connect(link.exchange(worker.address()), link.exchange(region.descriptor()),
            link.exchange(signals.descriptor()));
        begin();
        while (!channel.isConnected())
        {
            progress();
        }
    }

    /** Begins to connect with a rank of the same process. */
    void connect(final OperationRank other)
    {
        connect(other.worker.address(), other.region.descriptor(), other.signals.descriptor());
    }

    private void connect(final ByteBuffer address, final ByteBuffer regionThere, final ByteBuffer signalsThere)
    {
        channel = worker.connect(peer, INCARNATION, address);
        remote = worker.importRegion(peer, regionThere);
        remoteSignals = worker.importSignals(peer, signalsThere);
    }

    /** Memory of the kind that the other rank writes to, for this one. */
    MemoryRegion allocate(final long bytes)
    {
        final MemoryRegion allocated = transport.allocate(MemoryKind.HOST, 0, bytes, Access.REMOTE);
        UnsafeApi.setMemory(allocated.address(), bytes, (byte)1);
        return allocated;
    }

    Transport transport()
    {
        return transport;
    }

    Worker worker()
    {
        return worker;
    }

    /** What the other rank writes to. */
    MemoryRegion region()
    {
        return region;
    }

    SignalRegion signals()
    {
        return signals;
    }

    Channel channel()
    {
        return channel;
    }

    RemoteRegion remote()
    {
        return remote;
    }

    RemoteSignals remoteSignals()
    {
        return remoteSignals;
    }

    /** The deadline of all that is waited for counts from here. */
    void begin()
    {
        beginNs = System.nanoTime();
    }

    void progress()
    {
        if (0 == (++rounds & LOOKS - 1))
        {
            if (null != channel.failure())
            {
                throw channel.failure();
            }

            if (System.nanoTime() - beginNs > DEADLINE_NS)
            {
                throw new IllegalStateException("rank " + channel.peer() + " was waited for in vain");
            }
        }

        worker.progress();
    }

    /** What the other rank writes to first, looked at as by a receiver that waits for it. */
    long firstWord()
    {
        return UnsafeApi.getLongVolatile(null, region.address());
    }

    /** Waits until all that was submitted is visible at the other rank. */
    long flush()
    {
        long position = channel.flush();
        while (position < 0)
        {
            progress();
            position = channel.flush();
        }

        while (channel.deliveredPosition() < position)
        {
            progress();
        }

        return position;
    }

    /**
     * Messages go to and fro, seen by their last word. What is put is not written again before it has come back.
     *
     * @param isFirst whether this rank begins.
     * @param source  in which the last word of a message is counted up.
     * @param size    of a message in bytes, at least 8.
     * @param count   of messages in each direction.
     */
    void pingPong(final boolean isFirst, final MemoryRegion source, final int size, final int count)
    {
        final long written = source.address() + size - Long.BYTES;
        final long read = region.address() + size - Long.BYTES;
        for (int i = 0; i < count; i++)
        {
            sequence++;
            if (!isFirst)
            {
                awaitWord(read, sequence);
            }

            UnsafeApi.putLong(null, written, sequence);
            while (channel.put(source, 0, remote, 0, size) < 0)
            {
                progress();
            }

            if (isFirst)
            {
                awaitWord(read, sequence);
            }
        }

        flush();
    }

    @Override
    public void close()
    {
        transport.close();
    }

    private void awaitWord(final long address, final long expected)
    {
        while (expected != UnsafeApi.getLongVolatile(null, address))
        {
            progress();
        }
    }
}
