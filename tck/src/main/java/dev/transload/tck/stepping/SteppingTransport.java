/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Access;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Reachability;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.UnsupportedCapabilityException;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/** One life of one rank on one network. */
final class SteppingTransport implements Transport
{
    private final SteppingNetwork network;
    private final SteppingFabric fabric;
    private final TransportConfig config;
    private final Capabilities capabilities;
    private final Map<Integer, SteppingRegion> regions = new HashMap<>();
    private final Map<Integer, SteppingSignals> signals = new HashMap<>();
    private final Map<Integer, SteppingWorker> workers = new TreeMap<>();
    private final ArrayDeque<Runnable> mirrorLog = new ArrayDeque<>();
    private final Thread opener = Thread.currentThread();
    private final List<Memory> used = new ArrayList<>();
    private final List<AtomicLongArray> usedMirrors = new ArrayList<>();
    private int nextId = 1;
    private boolean closing;
    private boolean closed;
    private boolean killed;

    SteppingTransport(final SteppingNetwork network, final TransportConfig config, final Capabilities capabilities)
    {
        this.network = network;
        this.fabric = network.fabric();
        this.config = config;
        this.capabilities = capabilities;
    }

    @Override
    public Capabilities capabilities()
    {
        return capabilities;
    }

    @Override
    public ByteBuffer peerInfo()
    {
        return describe(Descriptors.PEER, 0, 0);
    }

    @Override
    public Reachability canReach(final int peer, final ByteBuffer peerInfo)
    {
        checkPeer(peer);
        final Descriptors info = Descriptors.decode("peerInfo", Descriptors.PEER, network.id(), peerInfo);
        checkRank("peerInfo", peer, info.rank());
        return network.reaches(rank(), peer) ?
            new Reachability(true, fabric.has(Fault.CON_1) ? "" : "same network " + network.name()) :
            new Reachability(false, "network " + network.name() + " does not join ranks " + rank() + " and " + peer);
    }

    @Override
    public MemoryRegion allocate(final MemoryKind kind, final int device, final long length, final Access access)
    {
        synchronized (fabric)
        {
            checkOpen();
            checkThread();
            checkLength(length);
            if (fabric.has(Fault.MEM_6) && !network.kinds().contains(kind))
            {
                return allocate(MemoryKind.HOST, 0, length, access);
            }

            fabric.checkDevice(network.kinds(), kind, device);
            try
            {
                final Memory memory = fabric.has(Fault.MEM_1_REUSED) ? reused(kind, device, (int)length) :
                    fabric.memories().allocate(kind, device, (int)length);
                if (fabric.has(Fault.MEM_1))
                {
                    memory.writeLocal((int)length - 1, new byte[] {1});
                }

                return add(memory, 0, (int)length, access);
            }
            catch (final OutOfMemoryError ex)
            {
                throw new TransportUnavailableException(
                    "rank " + rank() + " has not the " + length + " bytes of " + kind + " memory asked for", ex);
            }
        }
    }

    @Override
    public MemoryRegion register(
        final MemoryKind kind, final int device, final long address, final long length, final Access access)
    {
        synchronized (fabric)
        {
            checkOpen();
            checkLength(length);
            fabric.checkDevice(network.kinds(), kind, device);
            if (Access.REMOTE == access && (fabric.has(Fault.MEM_5) || !capabilities.remoteKinds().contains(kind)))
            {
                throw new UnsupportedCapabilityException(network.name(), Capability.REGISTER_REMOTE, kind);
            }

            if (0 == address)
            {
                throw new IllegalArgumentException("address 0 cannot be registered: must be that of memory");
            }

            final Memory memory = fabric.has(Fault.MEM_4) ? Memory.allocateHost((int)length) :
                fabric.memories().find(kind, device, address, (int)length);
            if (fabric.has(Fault.MEM_4))
            {
                return add(memory, 0, (int)length, access);
            }

            return add(memory, (int)(address - memory.address()), (int)length, access);
        }
    }

    @Override
    public SignalRegion allocateSignals(final int count, final int writers)
    {
        synchronized (fabric)
        {
            checkOpen();
            if (count < 1 || writers < 1)
            {
                throw new IllegalArgumentException(
                    "count=" + count + " and writers=" + writers + ": both must be positive");
            }

            if (writers > 1 && !capabilities.has(Capability.SHARED_SIGNALS))
            {
                throw new UnsupportedCapabilityException(network.name(), EnumSet.of(Capability.SHARED_SIGNALS));
            }

            final SteppingSignals region = new SteppingSignals(this, nextId++, count, writers);
            signals.put(region.id(), region);
            return region;
        }
    }

    @Override
    public RowList allocateRows(final int capacity)
    {
        checkOpen();
        if (capacity < 1)
        {
            throw new IllegalArgumentException("capacity=" + capacity + " of a row list: must be positive");
        }

        return new RowList(ByteBuffer.allocateDirect(Math.multiplyExact(capacity, RowList.STRIDE)),
            capacity - (fabric.has(Fault.ROW_4) ? 1 : 0));
    }

    @Override
    public Worker openWorker(final int index)
    {
        synchronized (fabric)
        {
            checkOpen();
            if (index < 0 || index >= capabilities.maxWorkers())
            {
                throw new IllegalArgumentException(
                    "worker index " + index + ": must be in [0, " + capabilities.maxWorkers() + ")");
            }

            if (workers.containsKey(index) && !fabric.has(Fault.MIS_6))
            {
                throw new IllegalStateException("worker " + index + " of rank " + rank() + " is open already");
            }

            final SteppingWorker worker = new SteppingWorker(this, index);
            workers.put(index, worker);
            return worker;
        }
    }

    @Override
    public void close()
    {
        synchronized (fabric)
        {
            if (closed)
            {
                return;
            }

            closing = true;
            if (!fabric.has(Fault.CLS_1))
            {
                List.copyOf(workers.values()).forEach(SteppingWorker::close);
            }

            List.copyOf(signals.values()).forEach(SteppingSignals::close);
            List.copyOf(regions.values()).forEach(SteppingRegion::close);
            closed = true;
            if (!killed)
            {
                network.mourn(this, "it was closed");
            }
        }
    }

    SteppingFabric fabric()
    {
        return fabric;
    }

    SteppingNetwork network()
    {
        return network;
    }

    int rank()
    {
        return config.rank();
    }

    long incarnation()
    {
        return config.incarnation();
    }

    boolean isClosing()
    {
        return closing;
    }

    boolean isGone()
    {
        return closed || killed;
    }

    boolean isPaused()
    {
        return fabric.schedule().isPaused(rank());
    }

    boolean hasWorker(final int index)
    {
        return workers.containsKey(index);
    }

    SteppingRegion region(final int id)
    {
        return regions.get(id);
    }

    void resetSignals(final SteppingChannel channel)
    {
        signals.values().forEach((region) -> region.reset(channel));
    }

    SteppingSignals signals(final int id)
    {
        return signals.get(id);
    }

    ByteBuffer describe(final byte type, final int id, final long length)
    {
        return new Descriptors(type, network.id(), rank(), incarnation(), id, length).encode();
    }

    void checkPeer(final int peer)
    {
        if (peer < 0 || peer >= config.worldSize())
        {
            throw new IllegalArgumentException(
                "peer " + peer + " is not of this world: must be in [0, " + config.worldSize() + ")");
        }
    }

    static void checkRank(final String what, final int expected, final int found)
    {
        if (expected != found)
        {
            throw new IllegalArgumentException(what + " is of rank " + found + ", not of the peer given, " + expected);
        }
    }

    /** Where new signals have their values. */
    AtomicLongArray mirror(final int count)
    {
        for (final AtomicLongArray mirror : usedMirrors)
        {
            if (mirror.length() == count && signals.values().stream().noneMatch((region) -> region.isIn(mirror)))
            {
                return mirror;
            }
        }

        final AtomicLongArray mirror = new AtomicLongArray(count);
        if (fabric.has(Fault.SIG_1_REUSED))
        {
            usedMirrors.add(mirror);
        }

        return mirror;
    }

    void forget(final SteppingRegion region, final int id)
    {
        regions.remove(id, region);
    }

    void forget(final SteppingSignals region)
    {
        signals.remove(region.id(), region);
    }

    void forget(final SteppingWorker worker)
    {
        if (!fabric.has(Fault.CLS_6))
        {
            workers.remove(worker.index(), worker);
        }
    }

    void channelsTo(final SteppingTransport peer, final Consumer<SteppingChannel> action)
    {
        if (!isGone())
        {
            workers.values().forEach((worker) -> worker.channelsTo(peer, action));
        }
    }

    /** Peers' adds reach the host mirrors in the order in which they were executed, in {@link #refreshMirrors}. */
    void log(final Runnable add)
    {
        mirrorLog.add(add);
    }

    int refreshMirrors()
    {
        int count = fabric.mischief(0.5) ? fabric.chance().below(mirrorLog.size() + 1) : mirrorLog.size();
        final int work = count;
        while (count-- > 0)
        {
            mirrorLog.remove().run();
        }

        return work;
    }

    void kill()
    {
        killed = true;
        workers.values().forEach(SteppingWorker::kill);
    }

    private Memory reused(final MemoryKind kind, final int device, final int length)
    {
        for (final Memory memory : used)
        {
            if (memory.kind().equals(kind) && memory.device() == device && memory.length() == length &&
                regions.values().stream().noneMatch((region) -> region.memory() == memory))
            {
                return memory;
            }
        }

        final Memory memory = fabric.memories().allocate(kind, device, length);
        used.add(memory);
        return memory;
    }

    private SteppingRegion add(final Memory memory, final int base, final int length, final Access access)
    {
        final SteppingRegion region = new SteppingRegion(this, nextId, memory, base, length, access);
        regions.put(nextId++, region);
        return region;
    }

    private void checkLength(final long length)
    {
        if (length < 1 || length > capabilities.maxRegionLength())
        {
            throw new IllegalArgumentException(
                "length=" + length + " of a region: must be in [1, " + capabilities.maxRegionLength() + "]");
        }
    }

    private void checkThread()
    {
        if (fabric.has(Fault.THR_2) && opener != Thread.currentThread())
        {
            throw new IllegalStateException("memory is allocated by one thread only");
        }
    }

    private void checkOpen()
    {
        if (isGone())
        {
            throw new IllegalStateException(
                "transport " + network.name() + " of rank " + rank() + (killed ? " was killed" : " is closed"));
        }
    }
}
