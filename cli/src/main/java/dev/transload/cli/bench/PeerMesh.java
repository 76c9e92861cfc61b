/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.DealtDevices;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * Channels from one rank to its peers, an area of memory for each of them to put to, and two signals from each: one
 * counts rounds, the other what else they wait for. What threads wait for is counted by kind.
 */
final class PeerMesh implements AutoCloseable
{
    private static final int SPINS = 50;

    private final int rank;
    private final int ranks;
    private final int[] peers;
    private final ExchangePattern pattern;
    private final long areaBytes;
    private final MemoryKind kind;
    private final long timeoutNs;
    private final Transport transport;
    private final Worker worker;
    private final MemoryRegion local;
    private final MemoryRegion target;
    private final SignalRegion signals;
    private final Channel[] channels;
    private final RemoteRegion[] targets;
    private final RemoteSignals[] targetSignals;
    private final long[] seen;
    private final CheckedMemory checkedLocal;
    private final CheckedMemory checkedTarget;
    private long refusedNs;
    private long deliveryNs;

    PeerMesh(final RankPlace place, final Rendezvous rendezvous, final ExchangeTask task, final long areaBytes)
    {
        this.rank = place.rank();
        this.ranks = rendezvous.worldSize();
        this.pattern = task.pattern();
        this.peers = pattern.peers(rank, ranks);
        this.areaBytes = areaBytes;
        final EngineConfig config = place.settings().engine();
        this.timeoutNs = config.callTimeout().toNanos();
        final TransportProvider provider = TransportRegistry.discover().provider(task.transport());
        final DealtDevices devices = new DealtDevices(task.devices(), config);
        this.kind = KernelRegistry.discover().kindOf(task.transport());
        final int place0 = indexOnHost(rendezvous, rank);
        this.transport = provider.open(TransportConfig.builder().rank(rank).worldSize(ranks)
            .incarnation(incarnation(rendezvous, rank)).livenessTimeoutNs(config.livenessTimeout().toNanos())
            .options(devices.options(provider, place0)).build());
        this.worker = transport.openWorker(0);
        final int device = devices.of(kind, place0);
        this.target = transport.allocate(kind, device, peers.length * areaBytes, Access.REMOTE);
        this.local = transport.allocate(kind, device, areaBytes, Access.LOCAL);
        this.signals = transport.allocateSignals(2 * ranks, 1);
        this.seen = new long[2 * ranks];
        this.channels = new Channel[ranks];
        this.targets = new RemoteRegion[ranks];
        this.targetSignals = new RemoteSignals[ranks];
        final List<ByteBuffer> addresses = connect(rendezvous, config.openTimeout());
        if (kind.isHost())
        {
            checkedLocal = CheckedMemory.ofHost(local);
            checkedTarget = CheckedMemory.ofHost(target);
        }
        else if (task.check())
        {
            channels[rank] = worker.connect(rank, incarnation(rendezvous, rank), addresses.get(rank));
            awaitConnection(rank);
            final MemoryRegion block = transport.allocate(MemoryKind.HOST, 0, CheckedMemory.PIECE, Access.REMOTE);
            final RemoteRegion remoteBlock = worker.importRegion(rank, block.descriptor());
            checkedLocal = new Copied(local, block, remoteBlock);
            checkedTarget = new Copied(target, block, remoteBlock);
        }
        else
        {
            checkedLocal = null;
            checkedTarget = null;
        }
    }

    /** Memory of a device: puts to a block of the own rank, and loads from it, as every transport carries them. */
    private final class Copied implements CheckedMemory
    {
        private final MemoryRegion region;
        private final MemoryRegion block;
        private final RemoteRegion remoteBlock;

        Copied(final MemoryRegion region, final MemoryRegion block, final RemoteRegion remoteBlock)
        {
            this.region = region;
            this.block = block;
            this.remoteBlock = remoteBlock;
        }

        @Override
        public ByteBuffer blank(final long offset, final int count)
        {
            return block.hostView(0, count);
        }

        @Override
        public void store(final long offset, final int count)
        {
            final long begin = System.nanoTime();
            while (channels[rank].load(remoteBlock, 0, region, offset, count) < 0)
            {
                retry(rank, begin);
            }

            awaitDelivery(rank, flush(rank));
        }

        @Override
        public ByteBuffer fetch(final long offset, final int count)
        {
            final long begin = System.nanoTime();
            while (channels[rank].put(region, offset, remoteBlock, 0, count) < 0)
            {
                retry(rank, begin);
            }

            awaitDelivery(rank, flush(rank));
            return block.hostView(0, count);
        }
    }

    /** The engine of a rank, which may be opened behind this, has the rank's own. */
    private static long incarnation(final Rendezvous rendezvous, final int rank)
    {
        return rendezvous.member(rank).incarnation() + 1;
    }

    /** Devices are dealt to the ranks of each host. */
    private static int indexOnHost(final Rendezvous rendezvous, final int rank)
    {
        int index = 0;
        for (int other = 0; other < rank; other++)
        {
            index += rendezvous.member(other).host().equals(rendezvous.member(rank).host()) ? 1 : 0;
        }

        return index;
    }

    /** Returns the addresses of all workers. */
    private List<ByteBuffer> connect(final Rendezvous rendezvous, final Duration timeout)
    {
        final List<ByteBuffer> addresses = rendezvous.allGather("bench.ranks.worker", worker.address(), timeout);
        for (final int peer : peers)
        {
            channels[peer] = worker.connect(peer, incarnation(rendezvous, peer), addresses.get(peer));
        }

        for (final int peer : peers)
        {
            awaitConnection(peer);
        }

        final List<ByteBuffer> regions = rendezvous.allGather("bench.ranks.region", target.descriptor(), timeout);
        final List<ByteBuffer> counters = rendezvous.allGather("bench.ranks.signals", signals.descriptor(), timeout);
        for (final int peer : peers)
        {
            targets[peer] = worker.importRegion(peer, regions.get(peer));
            targetSignals[peer] = worker.importSignals(peer, counters.get(peer));
        }

        return addresses;
    }

    private void awaitConnection(final int peer)
    {
        final long begin = System.nanoTime();
        int spins = 0;
        while (!channels[peer].isConnected())
        {
            spins = idle(spins, begin, peer);
        }
    }

    Transport transport()
    {
        return transport;
    }

    MemoryKind kind()
    {
        return kind;
    }

    /** What is sent, to fill; null where nothing is checked in memory of a device. */
    CheckedMemory checkedLocal()
    {
        return checkedLocal;
    }

    int[] peers()
    {
        return peers;
    }

    long areaBytes()
    {
        return areaBytes;
    }

    /** What peers put to, an area for each, to look into. */
    CheckedMemory checkedTarget()
    {
        return checkedTarget;
    }

    /** Where the area of a peer begins. */
    long areaOf(final int peer)
    {
        return pattern.area(rank, peer) * areaBytes;
    }

    /** Put from an offset of the local memory to the same offset of the own area of a peer. */
    void put(final int peer, final long offset, final int bytes)
    {
        final Channel channel = channels[peer];
        final long to = pattern.area(peer, rank) * areaBytes + offset;
        if (channel.put(local, offset, targets[peer], to, bytes) < 0)
        {
            final long begin = System.nanoTime();
            do
            {
                retry(peer, begin);
            }
            while (channel.put(local, offset, targets[peer], to, bytes) < 0);
            refusedNs += System.nanoTime() - begin;
        }
    }

    /**
     * Have the position told at which all that was put to a peer is visible there.
     *
     * @return the position.
     */
    long flush(final int peer)
    {
        long position = channels[peer].flush();
        if (position < 0)
        {
            final long begin = System.nanoTime();
            while (position < 0)
            {
                retry(peer, begin);
                position = channels[peer].flush();
            }

            refusedNs += System.nanoTime() - begin;
        }

        return position;
    }

    /** Wait until all up to a position is visible at a peer. */
    void awaitDelivery(final int peer, final long position)
    {
        if (channels[peer].deliveredPosition() >= position)
        {
            return;
        }

        final long begin = System.nanoTime();
        int spins = 0;
        while (channels[peer].deliveredPosition() < position)
        {
            spins = idle(spins, begin, peer);
        }

        deliveryNs += System.nanoTime() - begin;
    }

    /** Tell a peer that all before is put. */
    void signal(final int peer, final boolean isRound)
    {
        final int index = isRound ? rank : ranks + rank;
        final long begin = System.nanoTime();
        while (channels[peer].signal(targetSignals[peer], index, 1) < 0)
        {
            retry(peer, begin);
        }
    }

    /** Wait for the next signal of a peer. */
    void awaitSignal(final int peer, final boolean isRound)
    {
        final int index = isRound ? peer : ranks + peer;
        final long expected = ++seen[index];
        final long begin = System.nanoTime();
        int spins = 0;
        while (signals.getAcquire(index) < expected)
        {
            spins = idle(spins, begin, peer);
        }
    }

    /** All peers are here. */
    void meet()
    {
        for (final int peer : peers)
        {
            signal(peer, false);
        }

        for (final int peer : peers)
        {
            awaitSignal(peer, false);
        }
    }

    /** Make what peers have put readable here. */
    void acquire()
    {
        worker.acquire(target);
    }

    long refusedNs()
    {
        return refusedNs;
    }

    long deliveryNs()
    {
        return deliveryNs;
    }

    @Override
    public void close()
    {
        transport.close();
    }

    private void retry(final int peer, final long begin)
    {
        check(begin, peer);
        worker.progress();
    }

    private int idle(final int spins, final long begin, final int peer)
    {
        if (0 != worker.progress())
        {
            return 0;
        }

        if (spins < SPINS)
        {
            return spins + 1;
        }

        Thread.yield();
        check(begin, peer);
        return spins;
    }

    private void check(final long begin, final int peer)
    {
        if (null != channels[peer].failure())
        {
            throw channels[peer].failure();
        }

        if (System.nanoTime() - begin > timeoutNs)
        {
            throw new CommandException(ExitCodes.PEER_FAILED, "rank " + rank + " waited " +
                Duration.ofNanos(timeoutNs).toSeconds() + " s for rank " + peer, null);
        }
    }
}
